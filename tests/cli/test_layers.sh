#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_layers.sh REGIONSIM DUMP_DB
# One value, said in a policy file, on the command line, in the scenario's environment and in the process's: the same run
# to the last bit, each with its own origin. Ends with "N passed, N failed".
. "$(dirname "$0")/claims.sh"
# Traffic enough for samples, and an outage that outlasts the first dwell: every knob below has something to do.
tiny=$scenarios/layers.yaml
sed 's/^duration: .*/duration: 30 s/; s/rate: .*/rate: 300 \/s/; s/4 s: 0 %/9 s: 0 %/' "$scenarios/tiny.yaml" >"$tiny"

# policy FILE [KNOB VALUE]: a policy that trips early, with the knob or nothing more.
policy() {
    breaker='read_failure_threshold: 3' failback='promote: due' retry=
    case ${2-} in
    breaker.*) breaker="$breaker, ${2#*.}: $3" ;;
    failback.*) failback="$failback, ${2#*.}: $3" ;;
    retry.*) retry="${2#*.}: $3" ;;
    esac
    printf 'regionsim: 1\npolicy: layers\nabout: One value.\nbreaker: {%s}\nfailback: {%s}\nretry: {%s}\n' \
        "$breaker" "$failback" "$retry" >"$1"
    [ -n "$retry" ] || sed -i '/^retry:/d' "$1"
}

# play DB POLICY ARGUMENTS...: one run of the small incident.
play() {
    db=$1 with=$2
    shift 2
    run 0 "$regionsim" run "$tiny" --policy "$with" --replications 1 --jobs 1 --db "$db" --force "$@"
}

# facts DB [WORKLOAD]: reads what the run was: result, input, and the knob's value and origin.
facts() {
    line=$(sql "$1" "SELECT digest || result_digest || '|' || input_digest || '|' || text || ' ' || origin FROM run, option
        WHERE knob = '$knob' AND workload = '${2-}'")
    result=${line%%|*} line=${line#*|}
    input=${line%%|*} origin=${line#*|}
}

# listed ROW POLICY ARGUMENTS...: what list --effective says of the knob.
listed() {
    row=$1 with=$2
    shift 2
    run 0 "$regionsim" list knobs "$knob" --effective "$tiny" --policy "$with" --format csv "$@"
    has out "$row"
}

policy plain.yaml
play plain.db plain.yaml

# A knob, its value in files, its value in the environment, its variable.
while IFS='|' read -r knob value text variable; do
    begin "$knob: file, flag and environment mean the same"
    policy with.yaml "$knob" "$value"
    play file.db with.yaml
    play flag.db plain.yaml --set "$knob=$value"
    map="scenario.environment={$variable: \"$text\"}"
    play map.db plain.yaml --set "$map"
    export "$variable=$text"
    play process.db plain.yaml --env
    listed "layers,,$knob,$value,environment" plain.yaml --env
    unset "$variable"
    facts plain.db
    usual=$result
    facts file.db
    wanted=$result wanted_input=$input
    [ "$usual" != "$wanted" ] || fault "the value changes nothing: a test that cannot fail"
    for pair in file:account flag:account map:environment process:environment; do
        facts "${pair%:*}.db"
        [ "$result" = "$wanted" ] || fault "${pair%:*}: another result than the file's"
        # The map is part of the scenario; the others leave it as it is.
        [ "$input" = "$wanted_input" ] || [ "$pair" = map:environment ] || fault "${pair%:*}: another input digest"
        [ "$origin" = "$value ${pair#*:}" ] || fault "${pair%:*}: $origin"
    done
    listed "layers,,$knob,$value,account" with.yaml
    listed "layers,,$knob,$value,account" plain.yaml --set "$knob=$value"
    listed "layers,,$knob,$value,environment" plain.yaml --set "$map"
    has_not out account
    listed ",default" plain.yaml
    end
done <<'END'
failback.min_sample|30|30|AZURE_COSMOS_PPCB_FAILBACK_MIN_SAMPLE
failback.retrip_floor|0 %|0.0|AZURE_COSMOS_PPCB_FAILBACK_RETRIP_FLOOR
failback.partition_unavailability_duration|2 s|2000|AZURE_COSMOS_PPCB_PARTITION_UNAVAILABILITY_DURATION_MS
failback.strategy|probe|probe|AZURE_COSMOS_PPCB_FAILBACK_STRATEGY
failback.canary_percentage|50 %|50|AZURE_COSMOS_PPCB_FAILBACK_CANARY_PERCENTAGE
breaker.enabled|false|false|AZURE_COSMOS_PPCB_ENABLED
retry.max_failover_retry_count|0|0|AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT
END

knob=retry.max_failover_retry_count
begin "a workload's value beats the policy's, which beats the environment's"
workload='scenario.workload.shop.options={retry: {max_failover_retry_count: 0}}'
map='scenario.environment={AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT: "7"}'
policy with.yaml "$knob" 5
play zero.db plain.yaml --set "$knob=0"
play layers.db with.yaml --set "$workload" --set "$map"
facts zero.db
wanted=$result
facts layers.db
[ "$result" = "$wanted" ] || fault "the workload's value gives another result"
[ "$origin" = "5 account" ] || fault "clients: $origin"
facts layers.db shop
[ "$origin" = "0 operation" ] || fault "workload: $origin"
listed "layers,,$knob,5,account" with.yaml --set "$workload" --set "$map"
has out "layers,shop,$knob,0,operation"
listed "layers,,$knob,7,environment" plain.yaml --set "$map"
end

knob=breaker.enabled
begin "the environment's override beats all"
map='scenario.environment={AZURE_COSMOS_PPCB_ENABLED: "true", AZURE_COSMOS_PPCB_ENABLED_OVERRIDE: "false"}'
play off.db plain.yaml --set "$knob=false"
play override.db plain.yaml --set "$knob=true" --set "$map"
facts off.db
wanted=$result
facts override.db
[ "$result" = "$wanted" ] || fault "the override gives another result"
[ "$origin" = "false override" ] || fault "$origin"
listed "layers,,$knob,false,override" plain.yaml --set "$knob=true" --set "$map"
end

begin "the environment does not count without --env, and a bad value is refused with it"
export AZURE_COSMOS_PPCB_ENABLED=perhaps
listed "layers,,$knob,true,default" plain.yaml
run 2 "$regionsim" list knobs --effective "$tiny" --policy plain.yaml --env
has err "AZURE_COSMOS_PPCB_ENABLED=\"perhaps\" is no value for breaker.enabled"
is_empty out
unset AZURE_COSMOS_PPCB_ENABLED
end

begin "list tells what goes with --effective"
run 2 "$regionsim" list metrics --effective "$tiny"
has err "--effective is about knobs"
for option in "--policy plain.yaml" --env "--set failback.min_sample=3"; do
    # shellcheck disable=SC2086 # two words
    run 2 "$regionsim" list knobs $option
    has err "need --effective SCENARIO"
done
run 2 "$regionsim" list knobs --effective no-such.yaml
run 0 "$regionsim" list knobs --effective "$tiny" --format csv
[ "$(wc -l <out)" -gt 40 ] || fault "not every knob is listed"
end

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
