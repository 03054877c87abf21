#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_import.sh REGIONSIM DUMP_DB
# Tables of an account become a scenario that shows what they say, and bad ones one message each. Ends with "N passed, N
# failed".
. "$(dirname "$0")/claims.sh"
import=$fixtures/../import
data=$fixtures/../../../scenarios/data
cp -r "$data" data
cp "$import"/*.yaml .

begin "each malformed table gets one message with its place, and leaves nothing behind"
cp "$import"/bad/*.csv .
while IFS= read -r message; do
    run 2 "$regionsim" import "${message%%:*}" --output bad.yaml
    [ "$(<err)" = "$message" ] || fault "\"$(<err)\" instead of \"$message\""
    is_empty out
    [ ! -e bad.yaml ] || fault "a scenario is left of ${message%%:*}"
done < <(grep -v "^#" "$import/bad/expected.txt")
[ "$(grep -vc "^#" "$import/bad/expected.txt")" = "$(find "$import/bad" -name '*.csv' | wc -l)" ] || fault "a table has no message"
end

begin "a run is exported, minute by minute"
run 0 "$regionsim" run source.yaml --policy none.yaml --replications 1 --db source.db
run 0 "$regionsim" export source.db --output telemetry.csv
has telemetry.csv "time_s,region,operation,requests,errors_503,errors_429/3200,p50_ms,p99_ms"
[ "$(wc -l <telemetry.csv)" = 57 ] || fault "$(wc -l <telemetry.csv) lines: 14 minutes of 2 regions and 2 kinds"
python3 - <<'PY' || fault "the exported requests are not those of the database"
import csv, sqlite3, sys
rows = list(csv.DictReader(open("telemetry.csv")))
requests = sum(int(r["requests"]) for r in rows)
errors = sum(int(r["errors_503"]) + int(r["errors_429/3200"]) for r in rows)
total, failed = sqlite3.connect("source.db").execute("SELECT sum(requests), sum(errors) FROM interval").fetchone()
# Operations count where they start, answers where they come: a few of the last minute's come after the end.
sys.exit(not (0 <= total - requests <= 100 and 0 <= failed - errors <= 100))
PY
end

begin "the imported scenario is valid, finds the outage, and is the same each time"
run 0 "$regionsim" import telemetry.csv --name got --output got.yaml --fit fit.csv
has out "northcentralus read: 9 healthy periods of 60 s"
has out "westus write: 14 healthy periods of 60 s"
for words in "departure-1: 3 min" "healthy-1: 8 min" "northcentralus-read-503:" "northcentralus-write-429-3200:" \
    "assumed" "observed"; do
    has got.yaml "$words"
done
has_not got.yaml "westus-read-"
cp got.yaml first.yaml
cp fit.csv first.csv
run 2 "$regionsim" import telemetry.csv --name got --output got.yaml --fit fit.csv
has err "got.yaml exists; expected another --output, or --force to replace it"
run 0 "$regionsim" import telemetry.csv --name got --output got.yaml --fit fit.csv --force
cmp -s got.yaml first.yaml && cmp -s fit.csv first.csv || fault "other bytes the second time"
run 0 "$regionsim" validate got.yaml
run 0 "$regionsim" import telemetry.csv --name got --output got.yaml --fit fit.json --force
python3 -m json.tool fit.json >/dev/null || fault "the fit is no JSON"
end

# The rule of both comparisons: minutes with 7200 requests (rate, p50), 7200 errors or none (error share), 50000 requests
# (p99) agree within 5 %, which chance exceeds in less than one of 300.
begin "the stated fit holds: rate, error share, p50 and p99 of each minute and region within 5 %"
python3 - <<'PY' || fault "see above"
import collections, csv, sys
seen = collections.Counter()
bad = 0
for row in csv.DictReader(open("fit.csv")):
    if row["enough"] == "1":
        seen[row["curve"]] += 1
        if float(row["error"]) > 0.05:
            print(" ", row)
            bad += 1
print(" ", dict(seen))
sys.exit(bad > 0 or any(seen[c] < n for c, n in {"rate": 40, "error share": 25, "p50": 40, "p99": 25}.items()))
PY
end

begin "so does another run of the scenario, exported and compared by other means"
run 0 "$regionsim" run got.yaml --policy none.yaml --replications 1 --seed 2 --db got.db
run 0 "$regionsim" export got.db:none/0 --output again.csv
cat >agree.py <<'PY'
import csv, sys
def table(name):
    return {(r["time_s"], r["region"], r["operation"]): r for r in csv.DictReader(open(name))}
first, second = table(sys.argv[1]), table(sys.argv[2])
def of(row, curve):
    if curve == "errors":
        return sum(int(v) for k, v in row.items() if k.startswith("errors_")) / int(row["requests"])
    return float(row[curve])
compared = bad = 0
for key, a in first.items():
    b = second[key]
    n, failed = int(a["requests"]), of(a, "errors") * int(a["requests"])
    for curve, enough in (("requests", n >= 7200), ("errors", failed >= 7200), ("p50_ms", n >= 7200), ("p99_ms", n >= 50000)):
        if enough:
            compared += 1
            if abs(of(b, curve) - of(a, curve)) > 0.05 * of(a, curve):
                print(" ", key, curve, of(a, curve), of(b, curve))
                bad += 1
print(f"  {compared} compared")
sys.exit(bad > 0 or compared < 120)
PY
python3 agree.py telemetry.csv again.csv || fault "see above"
end

begin "shares, rates, other units, ISO times, quotes and another order of rows say the same"
python3 - <<'PY'
import csv
rows = list(csv.DictReader(open("telemetry.csv")))
with open("other.csv", "w") as out:
    out.write('timestamp,"region",operation,rate_per_min,error_share_503,error_share_429/3200,p50_us,p99_s,remark\r\n')
    for r in sorted(rows, key=lambda r: (r["region"], r["operation"], -float(r["time_s"]))):
        n, at = int(r["requests"]), int(r["time_s"]) // 60
        name = {"northcentralus": '"North Central US"', "westus": "westus"}[r["region"]]
        out.write(f'2026-02-28T{23 + (at + 55) // 60 - 24 * ((at + 55) // 60):02}:{(at + 55) % 60:02}:00Z,'
                  if at < 5 else f'2026-03-01T01:{at - 5:02}:00+01:00,')
        out.write(f'{name},{r["operation"]},{n},{int(r["errors_503"]) / n!r},{int(r["errors_429/3200"]) / n!r},'
                  f'{float(r["p50_ms"]) * 1000!r},{float(r["p99_ms"]) / 1000!r},"a, ""b"""\r\n')
PY
run 0 "$regionsim" import other.csv --name got --output other.yaml
has err "other.csv: note: passed over: remark"
diff <(grep -v '^# Telemetry' got.yaml) <(grep -v '^# Telemetry' other.yaml) || fault "another scenario"
end

begin "error_share and status, a row for each status, say the same as columns"
printf 'minute,requests,error_share,status,p50_ms,p99_ms\n0,1000,0,,2,9\n1,1000,0.5,503,2,9\n1,1000,0.25,429/3092,2,9\n2,1000,0,,2,9\n' >rows.csv
printf 'minute,requests,errors_503,errors_429/3092,p50_ms,p99_ms\n0,1000,0,0,2,9\n1,1000,500,250,2,9\n2,1000,0,0,2,9\n' >columns.csv
run 0 "$regionsim" import rows.csv --name few --home westus
run 0 "$regionsim" import columns.csv --name few --home westus --output columns.yaml
diff <(grep -v '^# Telemetry' few.yaml) <(grep -v '^# Telemetry' columns.yaml) || fault "another scenario"
has few.yaml "1 min: 25 %"
end

begin "what gets no answer, is refused, or takes no time at all is told in its own way"
printf 'minute,region,requests,errors_refused,errors_no_reply,p50_ms,p99_ms\n0,westus,9000,0,0,5,20\n1,westus,9000,9000,0,1,1\n2,westus,9000,0,4000,5,20\n3,westus,9000,0,0,5,20\n4,westus,9000,0,0,5,20\n5,westus,9000,0,0,5,20\n' >lost.csv
run 0 "$regionsim" import lost.csv --fit lost-fit.csv
has lost.yaml "statuses: {refused: 100 %}"
has lost.yaml "2 min: 44.4444 %"
python3 -c 'import csv, sys
sys.exit(any(float(r["error"]) > 0.05 for r in csv.DictReader(open("lost-fit.csv")) if r["enough"] == "1"))' || fault "it does not fit"
printf 'time,operation,requests,p50_ms,p99_ms\n0,write,100,0,0\n60,write,100,0,0\n' >nothing.csv
run 0 "$regionsim" import nothing.csv --home westus
has nothing.yaml "write: {constant: 0.001 ms}"
end

begin "more faults than a scenario may have become one for each region and kind"
python3 - <<'PY'
statuses = (500, 502, 503, 504, 408, 410, 429, 449)
with open("many.csv", "w") as out:
    out.write("minute,region,operation,requests," + ",".join(f"errors_{s}" for s in statuses) + ",p50_ms,p99_ms\n")
    for minute in range(10):
        for region in ("westus", "eastus", "westeurope", "northeurope", "centralus"):
            for operation in ("read", "write"):
                errors = [100 + 10 * i if 4 <= minute < 6 else 0 for i in range(len(statuses))]
                out.write(f"{minute},{region},{operation},3000,{','.join(map(str, errors))},5,20\n")
PY
run 0 "$regionsim" import many.csv
has many.yaml "westus-write-errors:"
has many.yaml "statuses: {500: 9.2592 %, 502: 10.1851 %,"
has many.yaml "4 min: 36 %"
run 0 "$regionsim" validate many.yaml
end

begin "percentiles, histograms and round trips of three clouds become scenarios that fit"
printf 'operation,p50_ms,p90_ms,p99_ms\nread,2.5,4,11\nwrite,5,8,20\n' >latency.csv
run 0 "$regionsim" import latency.csv --home westus --regions eastus --fit latency-fit.csv
has latency.yaml "read: {percentiles: {50: 1.5 ms, 90: 3 ms, 99: 10 ms}}"
python3 -c 'import csv, sys
sys.exit(any(abs(float(r["error"])) > 0.05 for r in csv.DictReader(open("latency-fit.csv"))))' || fault "it does not fit"
printf 'upper_us,count\n1000,5\n2000,400\n4000,500\n8000,80\n16000,15\n' >histogram.csv
run 0 "$regionsim" import histogram.csv --home westus --regions eastus
has histogram.yaml "40.5: 1.75 ms"
run 2 "$regionsim" import latency.csv histogram.csv --home westus
has err "histogram.csv is a second table of latencies"
mkdir clouds
printf 'src,dst,min_ms,avg_ms,max_ms,mdev_ms,date\neu-west-1,eu-west-1,0.1,0.2,0.3,0.1,2020-06-05\neu-west-1,eu-west-3,1,2,3,1,2020-06-05\neu-west-3,eu-west-1,9,18.25,30,1,2021-02-13\neu-west-3,eu-west-1,9,17,30,1,2020-06-05\n' >aws.csv
run 0 "$regionsim" import aws.csv --output clouds/aws.yaml
has clouds/aws.yaml "local: 0.2 ms"
has clouds/data/aws-rtt.csv "eu-west-3,eu-west-1,18.250000,"
for table in azure-rtt aws-rtt; do
    run 0 "$regionsim" import "data/$table.csv" --output "clouds/$table.yaml" --name "mine-$table"
    has out "0.00 %"
done
run 0 "$regionsim" import telemetry.csv clouds/data/mine-azure-rtt.csv --output clouds/both.yaml --name both
has clouds/both.yaml "round_trip: both-rtt"
run 0 "$regionsim" validate clouds/both.yaml
end

begin "names of files and columns cannot get out of a comment or reach a terminal"
name=$(printf 'odd\nname\342\200\250x.csv')
printf 'src,dst,p50_ms_a\342\200\250deadline: 1,b\033[31m\nwestus,eastus,30,\n' >"$name"
run 0 "$regionsim" import "$name" --name odd --home westus --output odd.yaml
has odd.yaml "# Round trips: odd name x.csv, column p50_ms_a deadline: 1."
printf 'minute,requests,p50_ms,p99_ms,b\033[31m\n0,9,1,2,\n1,9,1,2,\n' >"$name"
run 0 "$regionsim" import "$name" --name odder --home westus
has_not err "$(printf '\033')"
printf 'minute,requests,p50_ms,p99_ms\n0,9,1,2\n1,\303\251\351\340\240\240\355\240\200,1,2\n' >latin.csv
run 2 "$regionsim" import latin.csv --home westus
has err "$(printf 'latin.csv:3:3: found "\303\251?\340\240\240???", expected requests')"
end

begin "bad usage is told"
run 2 "$regionsim" import
has err "expected at least one CSV file"
run 2 "$regionsim" import latency.csv
has err "the tables name no region; expected --home REGION"
run 2 "$regionsim" import latency.csv --home wetsus
has err 'did you mean "westus"?'
run 2 "$regionsim" import latency.csv --home westus --kind telemtry
has err 'did you mean "telemetry"?'
run 2 "$regionsim" import telemetry.csv --home eastus --output home.yaml
has err "no row is about the region that --home names"
run 2 "$regionsim" import telemetry.csv --name 1x
has err 'expected a letter'
run 2 "$regionsim" import telemetry.csv --partitions 0
has err "expected a whole number from 1 to 100000"
run 2 "$regionsim" export
has err "expected one run"
run 2 "$regionsim" import nowhere.csv
mkdir -p /tmp/regionsim-import.$$
run 2 "$regionsim" import telemetry.csv --output "/tmp/regionsim-import.$$/x.yaml"
has err "no table azure-rtt or aws-rtt with all regions of the account was found"
rmdir "/tmp/regionsim-import.$$" || fault "something is left"
printf 'minute,requests,p50_ms,p99_ms\n0,9000,1,2\n1,9000,9,20\n' >apart.csv
run 0 "$regionsim" import apart.csv --home westus
has err "no period of westus read is like the others"
[ ! -e home.yaml ] || fault "a scenario is left"
end

begin "the telemetry that ships is imported as the documents say"
run 0 "$regionsim" import data/shop-telemetry.csv --output shop.yaml
has shop.yaml "departure-1: 3 min"
run 0 "$regionsim" run shop.yaml --policy "$fixtures/policies/success-rate.yaml" --replications 1 --db shop.db
end

echo "$passed passed, $failed failed"
[ $failed = 0 ]
