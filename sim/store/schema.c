/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables. Comments inside the statements stay in the file: `.schema` of the sqlite3 shell shows them.
 *
 * Parents come before children. Names of columns and values are final within one user_version. SQLite makes a table of
 * a list of more than two values, anew for each row that it checks: hence the pairs. */
#include "store/schema.h"

#include <string.h>

#include "store/store.h"

static const char EXPERIMENT[] =
    "CREATE TABLE experiment (\n"
    "  -- The manifest: one row. No digest covers tool_version.\n"
    "  id INTEGER PRIMARY KEY CHECK (id = 1),\n"
    "  tool_version TEXT NOT NULL,\n"
    "  draw_version INTEGER NOT NULL,    -- meaning of the random draws\n"
    "  stream_version INTEGER NOT NULL,  -- records under the behaviour digest\n"
    "  metric_version INTEGER NOT NULL,  -- definitions in metric_definition\n"
    "  seed INTEGER NOT NULL,            -- the same for every scenario and policy: they meet the same luck\n"
    "  replications INTEGER NOT NULL,    -- runs of each scenario under each policy\n"
    "  scenarios INTEGER NOT NULL,\n"
    "  policies INTEGER NOT NULL,\n"
    "  input_digest TEXT NOT NULL        -- over seed, replications and the input digests in plan order\n"
    ") STRICT";

static const char SCENARIO[] =
    "CREATE TABLE scenario (\n"
    "  id INTEGER PRIMARY KEY,           -- from 1, in the order of the command line\n"
    "  name TEXT NOT NULL UNIQUE,\n"
    "  about TEXT NOT NULL,\n"
    "  digest TEXT NOT NULL,             -- of canonical\n"
    "  duration INTEGER NOT NULL,        -- ns of virtual time\n"
    "  clients INTEGER NOT NULL,\n"
    "  partitions INTEGER NOT NULL,      -- of all workloads\n"
    "  notes TEXT NOT NULL,              -- what was noted while the world was made, one a line\n"
    "  canonical TEXT NOT NULL,          -- effective configuration, one line a value\n"
    "  text TEXT NOT NULL                -- the file as read\n"
    ") STRICT";

static const char REGION[] = "CREATE TABLE region (\n"
                             "  -- Regions of a scenario's account. Other tables hold the number.\n"
                             "  scenario_id INTEGER NOT NULL REFERENCES scenario (id),\n"
                             "  region INTEGER NOT NULL,          -- from 0, account order\n"
                             "  name TEXT NOT NULL,\n"
                             "  writable INTEGER NOT NULL CHECK (writable IN (0, 1)),\n"
                             "  PRIMARY KEY (scenario_id, region)\n"
                             ") STRICT, WITHOUT ROWID";

static const char PHASE[] = "CREATE TABLE phase (\n"
                            "  -- Half-open spans [start, until) of virtual time; number 0 is `all`.\n"
                            "  scenario_id INTEGER NOT NULL REFERENCES scenario (id),\n"
                            "  number INTEGER NOT NULL,\n"
                            "  name TEXT NOT NULL,\n"
                            "  start INTEGER NOT NULL,           -- ns\n"
                            "  until INTEGER NOT NULL,           -- ns\n"
                            "  PRIMARY KEY (scenario_id, number)\n"
                            ") STRICT, WITHOUT ROWID";

static const char POLICY[] = "CREATE TABLE policy (\n"
                             "  id INTEGER PRIMARY KEY,           -- from 1, in the order of the command line\n"
                             "  name TEXT NOT NULL UNIQUE,\n"
                             "  about TEXT NOT NULL,\n"
                             "  digest TEXT NOT NULL,             -- of canonical\n"
                             "  canonical TEXT NOT NULL,\n"
                             "  text TEXT NOT NULL                -- the file as read\n"
                             ") STRICT";

static const char OPTION[] =
    "CREATE TABLE option (\n"
    "  -- Every knob as it took effect, and the layer that it came from.\n"
    "  scenario_id INTEGER NOT NULL REFERENCES scenario (id),\n"
    "  policy_id INTEGER NOT NULL REFERENCES policy (id),\n"
    "  workload TEXT NOT NULL,           -- '': the clients' own, for what no single operation decides\n"
    "  knob TEXT NOT NULL,\n"
    "  value INTEGER NOT NULL,           -- ns, parts per million, percent, count, or number of the choice\n"
    "  text TEXT NOT NULL,               -- as a policy file says it\n"
    "  origin TEXT NOT NULL CHECK (origin IN\n"
    "    ('default', 'environment', 'runtime', 'account', 'operation', 'override')),\n"
    "  PRIMARY KEY (scenario_id, policy_id, workload, knob)\n"
    ") STRICT, WITHOUT ROWID";

static const char SWEEP_POINT[] =
    "CREATE TABLE sweep_point (\n"
    "  -- Policies and scenarios that a sweep has made; empty where there was none.\n"
    "  id INTEGER PRIMARY KEY,           -- from 1: policies, then scenarios, each in the order of its table\n"
    "  policy_id INTEGER UNIQUE REFERENCES policy (id),     -- NULL: the point is a scenario\n"
    "  scenario_id INTEGER UNIQUE REFERENCES scenario (id), -- NULL: the point is a policy\n"
    "  base TEXT NOT NULL,               -- name of the policy or scenario that it was made from\n"
    "  number INTEGER NOT NULL,          -- from 1, among those of that base\n"
    "  CHECK ((policy_id IS NULL) <> (scenario_id IS NULL))\n"
    ") STRICT";

static const char SWEEP_VALUE[] =
    "CREATE TABLE sweep_value (\n"
    "  point_id INTEGER NOT NULL REFERENCES sweep_point (id),\n"
    "  key TEXT NOT NULL,                -- a knob, or scenario.<path>\n"
    "  value TEXT NOT NULL,              -- as a file says it\n"
    "  number REAL,                      -- a knob as in option.value; else a duration in ns, a percentage as a share\n"
    "                                    -- of 1, a number as it is; NULL: none of these\n"
    "  PRIMARY KEY (point_id, key)\n"
    ") STRICT, WITHOUT ROWID";

static const char RUN[] =
    "CREATE TABLE run (\n"
    "  id INTEGER PRIMARY KEY,           -- from 1, in plan order: scenario, policy, replication\n"
    "  scenario_id INTEGER NOT NULL REFERENCES scenario (id),\n"
    "  policy_id INTEGER NOT NULL REFERENCES policy (id),\n"
    "  replication INTEGER NOT NULL,     -- from 0; luck is a function of (seed, replication)\n"
    "  seed INTEGER NOT NULL,\n"
    "  state TEXT NOT NULL CHECK (state IN ('planned', 'done')),\n"
    "  input_digest TEXT NOT NULL,       -- effective configuration\n"
    "  luck_digest TEXT,                 -- equal: the runs can be compared in pairs\n"
    "  digest TEXT,                      -- behaviour: equal means identical\n"
    "  result_digest TEXT,               -- metrics, histograms and the counts below\n"
    "  requests INTEGER,                 -- operations started = ended\n"
    "  legs INTEGER,                     -- attempts sent\n"
    "  peak_pending INTEGER,             -- most operations in flight\n"
    "  late_successes INTEGER,           -- canary results that came after their window or entry\n"
    "  late_failures INTEGER,\n"
    "  failed_allocations INTEGER,       -- entries that routers could not store\n"
    "  transitions_left_out INTEGER,     -- by the scenario's bound on recorded transitions\n"
    "  end INTEGER,                      -- ns of virtual time at which the last operation ended\n"
    "  UNIQUE (scenario_id, policy_id, replication),\n"
    "  CHECK ((state = 'done') = (digest IS NOT NULL))\n"
    ") STRICT";

static const char RUN_TIMING[] =
    "CREATE TABLE run_timing (\n"
    "  -- Facts of the execution: everything here may differ between equal experiments, nothing elsewhere may.\n"
    "  run_id INTEGER PRIMARY KEY REFERENCES run (id),\n"
    "  started TEXT NOT NULL,            -- UTC\n"
    "  elapsed_s REAL NOT NULL,          -- wall clock\n"
    "  events INTEGER NOT NULL,          -- queue entries handled; depends on event_mode\n"
    "  router_bytes INTEGER NOT NULL,    -- all routers together at the end\n"
    "  event_mode TEXT NOT NULL CHECK (event_mode IN ('fast', 'reference')),\n"
    "  host TEXT NOT NULL,\n"
    "  system TEXT NOT NULL,\n"
    "  cpus INTEGER NOT NULL,\n"
    "  jobs INTEGER NOT NULL,            -- worker threads\n"
    "  compiler TEXT NOT NULL,\n"
    "  sqlite_version TEXT NOT NULL,\n"
    "  command_line TEXT NOT NULL,\n"
    "  scenario_path TEXT NOT NULL,\n"
    "  policy_path TEXT NOT NULL\n"
    ") STRICT";

static const char CHECKPOINT[] =
    "CREATE TABLE checkpoint (\n"
    "  -- Behaviour digest at equal steps of virtual time: the first that differs says where to look.\n"
    "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
    "  k INTEGER NOT NULL,               -- up to duration * (k + 1) / 64\n"
    "  digest TEXT NOT NULL,\n"
    "  PRIMARY KEY (run_id, k)\n"
    ") STRICT, WITHOUT ROWID";

static const char METRIC_DEFINITION[] =
    "CREATE TABLE metric_definition (\n"
    "  name TEXT PRIMARY KEY,\n"
    "  position INTEGER NOT NULL UNIQUE, -- order of listings\n"
    "  unit TEXT NOT NULL,\n"
    "  better INTEGER NOT NULL CHECK (better IN (-1, 0, 1)), -- -1: lower, 1: higher, 0: neither\n"
    "  margin_ppm INTEGER NOT NULL,      -- relative change that matters, parts per million\n"
    "  meaning TEXT NOT NULL\n"
    ") STRICT, WITHOUT ROWID";

static const char METRIC[] =
    "CREATE TABLE metric (\n"
    "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
    "  phase TEXT NOT NULL,              -- `all`, or a phase of the scenario\n"
    "  name TEXT NOT NULL REFERENCES metric_definition (name),\n"
    "  value REAL,                       -- in the definition's unit; NULL: no samples, or not known exactly\n"
    "  more_than REAL,                   -- where value is NULL because of what had not ended: it is more than this\n"
    "  samples INTEGER NOT NULL,         -- what the value was made from\n"
    "  PRIMARY KEY (run_id, phase, name)\n"
    ") STRICT, WITHOUT ROWID";

static const char HISTOGRAM[] = "CREATE TABLE histogram (\n"
                                "  -- Latency of ended operations. encoded: see sim/metrics/histogram.h.\n"
                                "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
                                "  phase TEXT NOT NULL,\n"
                                "  outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'failed')),\n"
                                "  total INTEGER NOT NULL,           -- operations\n"
                                "  max INTEGER,                      -- ns; NULL: none\n"
                                "  encoded BLOB NOT NULL,\n"
                                "  PRIMARY KEY (run_id, phase, outcome)\n"
                                ") STRICT, WITHOUT ROWID";

static const char INTERVAL[] =
    "CREATE TABLE interval (\n"
    "  -- Time series of a run.\n"
    "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
    "  n INTEGER NOT NULL,               -- from 0\n"
    "  start INTEGER NOT NULL,           -- ns of virtual time\n"
    "  requests INTEGER NOT NULL,\n"
    "  errors INTEGER NOT NULL,\n"
    "  latency_p50 INTEGER,              -- ns; NULL: no samples\n"
    "  latency_p99 INTEGER,\n"
    "  latency_max INTEGER,\n"
    "  legs INTEGER NOT NULL,            -- sent, then or later, by operations that were to start in the interval\n"
    "  hedges INTEGER NOT NULL,          -- launched by those operations\n"
    "  canaries INTEGER NOT NULL,\n"
    "  canary_failures INTEGER NOT NULL,\n"
    "  departures INTEGER NOT NULL,\n"
    "  returns INTEGER NOT NULL,\n"
    "  retrips INTEGER NOT NULL,\n"
    "  pairs_away INTEGER NOT NULL,      -- (client, partition) pairs, at the interval's end\n"
    "  pairs_recovering INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, n)\n"
    ") STRICT, WITHOUT ROWID";

static const char INTERVAL_REGION[] =
    "CREATE TABLE interval_region (\n"
    "  run_id INTEGER NOT NULL,\n"
    "  n INTEGER NOT NULL,\n"
    "  region INTEGER NOT NULL,\n"
    "  legs INTEGER NOT NULL,            -- that arrived at the region in the interval, whenever\n"
    "                                    -- they were sent, and before the run's end\n"
    "  PRIMARY KEY (run_id, n, region),\n"
    "  FOREIGN KEY (run_id, n) REFERENCES interval (run_id, n)\n"
    ") STRICT, WITHOUT ROWID";

static const char TRANSITION[] =
    "CREATE TABLE transition (\n"
    "  -- State changes of the clients' breakers, with the numbers that were compared.\n"
    "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
    "  n INTEGER NOT NULL,               -- from 0, order of events\n"
    "  at INTEGER NOT NULL,              -- ns of virtual time\n"
    "  client INTEGER NOT NULL,\n"
    "  partition INTEGER NOT NULL,\n"
    "  reason INTEGER NOT NULL,\n"
    "  reason_name TEXT NOT NULL,\n"
    "  direction INTEGER NOT NULL CHECK (direction IN (0, 1)), -- 0 read, 1 write\n"
    "  phase_before INTEGER NOT NULL,    -- 0 absent, 1 counting, 2 unhealthy, 3 recovering\n"
    "  phase_after INTEGER NOT NULL,\n"
    "  tripped_before INTEGER NOT NULL,  -- bit 0 reads, bit 1 writes\n"
    "  tripped_after INTEGER NOT NULL,\n"
    "  region INTEGER,                   -- of the event; NULL: background work\n"
    "  first_failed INTEGER,             -- home of the override; NULL: none\n"
    "  current_region INTEGER,           -- where the traffic goes; NULL: not tripped\n"
    "  failed_regions INTEGER NOT NULL,  -- bit r: region r\n"
    "  cause INTEGER NOT NULL,           -- 0 none, 1 failures, 2 hedge wins\n"
    "  generation INTEGER NOT NULL,      -- of the entry\n"
    "  window_id INTEGER NOT NULL,       -- windows restarted in this recovery\n"
    "  canary_total INTEGER NOT NULL,    -- tally as compared\n"
    "  canary_success INTEGER NOT NULL,\n"
    "  canary_in_flight INTEGER NOT NULL,\n"
    "  failures INTEGER NOT NULL,        -- count compared with threshold\n"
    "  threshold INTEGER NOT NULL,       -- the knob compared with: count, parts per million or ns, by reason\n"
    "  elapsed INTEGER NOT NULL,         -- ns compared; 0: none\n"
    "  jitter INTEGER NOT NULL,          -- ns added to the dwell\n"
    "  PRIMARY KEY (run_id, n)\n"
    ") STRICT, WITHOUT ROWID";

static const char OPERATION_SAMPLE[] =
    "CREATE TABLE operation_sample (\n"
    "  -- At most 1000 operations of a run: those whose id hashes lowest. The hash knows neither policy nor outcome, "
    "so\n"
    "  -- all policies and replications sample the same ids.\n"
    "  run_id INTEGER NOT NULL REFERENCES run (id),\n"
    "  id INTEGER NOT NULL,              -- workload number << 30 | its n-th operation\n"
    "  workload TEXT NOT NULL,\n"
    "  client INTEGER NOT NULL,\n"
    "  partition INTEGER NOT NULL,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('read', 'write') OR kind IN ('feed', 'metadata')),\n"
    "  start INTEGER NOT NULL,           -- ns of virtual time, as intended\n"
    "  latency INTEGER NOT NULL,         -- ns from the intended start\n"
    "  status INTEGER NOT NULL,          -- what the caller saw\n"
    "  substatus INTEGER NOT NULL,\n"
    "  reason TEXT NOT NULL,             -- why it ended\n"
    "  legs INTEGER NOT NULL,\n"
    "  first_region INTEGER,             -- of the first attempt; NULL: none\n"
    "  last_region INTEGER,\n"
    "  success INTEGER NOT NULL,\n"
    "  error INTEGER NOT NULL,           -- counts against availability\n"
    "  canary INTEGER NOT NULL,          -- its first attempt was a canary\n"
    "  away INTEGER NOT NULL,            -- its partition was away from home at its start\n"
    "  abandoned INTEGER NOT NULL,\n"
    "  canary_retry INTEGER,             -- ns from start to the retry after a failed canary; NULL: none\n"
    "  hedge TEXT NOT NULL,              -- how its latest hedge race ended; none: it had none\n"
    "  hedges INTEGER NOT NULL,          -- legs launched in other regions while others were open\n"
    "  hedge_region INTEGER,             -- of the latest one; NULL: none\n"
    "  hedge_threshold INTEGER,          -- ns in force for its latest race; NULL: it had none\n"
    "  hedge_primary INTEGER,            -- region of that race's first leg\n"
    "  hedge_response INTEGER,           -- region whose answer ended it; NULL: no leg had a final one\n"
    "  ru_winner REAL,                   -- request units that the caller is charged; NULL: nobody counts\n"
    "  ru_total REAL,                    -- of all attempts that a region served\n"
    "  PRIMARY KEY (run_id, id)\n"
    ") STRICT, WITHOUT ROWID";

static const char OPERATION_ATTEMPT[] =
    "CREATE TABLE operation_attempt (\n"
    "  -- The attempts of the sampled operations; the first 16 of each.\n"
    "  run_id INTEGER NOT NULL,\n"
    "  id INTEGER NOT NULL,\n"
    "  n INTEGER NOT NULL,               -- from 0, order of sending\n"
    "  leg TEXT NOT NULL CHECK (leg IN ('primary', 'alternate')),\n"
    "  region INTEGER NOT NULL,\n"
    "  reason TEXT NOT NULL,             -- why that region\n"
    "  context TEXT NOT NULL,            -- initial, retry, hedging, region_failover, circuit_breaker_probe\n"
    "  hub INTEGER NOT NULL,             -- only the partition's hub was to answer\n"
    "  sent INTEGER NOT NULL,            -- ns of virtual time\n"
    "  elapsed INTEGER NOT NULL,         -- ns until it ended or was cut\n"
    "  outcome TEXT NOT NULL CHECK (outcome IN ('answered', 'lost') OR outcome IN ('not_sent', 'timed_out') OR\n"
    "                                                 outcome = 'cancelled'),\n"
    "  status INTEGER,                   -- NULL: no answer\n"
    "  substatus INTEGER,\n"
    "  PRIMARY KEY (run_id, id, n),\n"
    "  FOREIGN KEY (run_id, id) REFERENCES operation_sample (run_id, id)\n"
    ") STRICT, WITHOUT ROWID";

static const char OPERATION_EVENT[] =
    "CREATE TABLE operation_event (\n"
    "  -- What the sampled operations would have logged of their hedging; the first 12 events of each.\n"
    "  run_id INTEGER NOT NULL,\n"
    "  id INTEGER NOT NULL,\n"
    "  n INTEGER NOT NULL,               -- from 0\n"
    "  at INTEGER NOT NULL,              -- ns of virtual time\n"
    "  event TEXT NOT NULL,              -- cosmos.hedge.*\n"
    "  json TEXT NOT NULL,               -- as regioncore writes it for a log\n"
    "  PRIMARY KEY (run_id, id, n),\n"
    "  FOREIGN KEY (run_id, id) REFERENCES operation_sample (run_id, id)\n"
    ") STRICT, WITHOUT ROWID";

static const char INTERVAL_THRESHOLD[] =
    "CREATE TABLE interval_threshold (\n"
    "  -- Adaptive hedge thresholds at the end of each interval, over the clients. Empty where they are fixed.\n"
    "  run_id INTEGER NOT NULL,\n"
    "  n INTEGER NOT NULL,\n"
    "  region INTEGER NOT NULL,          -- of the primary leg\n"
    "  least INTEGER NOT NULL,           -- ns\n"
    "  median INTEGER NOT NULL,\n"
    "  greatest INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, n, region),\n"
    "  FOREIGN KEY (run_id, n) REFERENCES interval (run_id, n)\n"
    ") STRICT, WITHOUT ROWID";

static const char TUNE[] =
    "CREATE TABLE tune (\n"
    "  -- A search for a better policy: one row, or none. The tables above and below hold its confirmation: the base, "
    "and\n"
    "  -- the point picked, in replications that the search has not seen.\n"
    "  id INTEGER PRIMARY KEY CHECK (id = 1),\n"
    "  base TEXT NOT NULL,               -- policy that points are made from and compared with\n"
    "  settings TEXT NOT NULL,           -- all that decides the search, one line each\n"
    "  first_replication INTEGER NOT NULL, -- of the search; the confirmation's are those before it\n"
    "  scenarios INTEGER NOT NULL,       -- searched over; those with a higher id are held out\n"
    "  budget INTEGER NOT NULL,          -- runs that the search may take\n"
    "  runs INTEGER,                     -- that it took; NULL, here and below: not finished\n"
    "  pick_id INTEGER,                  -- point to be confirmed; 0: none beats the base\n"
    "  recommended_id INTEGER,           -- 0: the base\n"
    "  verdict TEXT CHECK (verdict IN ('confirmed', 'not confirmed', 'nothing beats the base')),\n"
    "  reason TEXT\n"
    ") STRICT";

static const char TUNE_OBJECTIVE[] = "CREATE TABLE tune_objective (\n"
                                     "  n INTEGER PRIMARY KEY,            -- from 1, in the order of the command line\n"
                                     "  metric TEXT NOT NULL UNIQUE,\n"
                                     "  better INTEGER NOT NULL CHECK (better IN (-1, 1)), -- 1: higher, -1: lower\n"
                                     "  weight REAL NOT NULL,\n"
                                     "  margin REAL NOT NULL              -- of gains: what matters\n"
                                     ") STRICT";

static const char TUNE_POINT[] =
    "CREATE TABLE tune_point (\n"
    "  id INTEGER PRIMARY KEY,           -- 0: the base; else its policy is named BASE#id\n"
    "  policy_id INTEGER,                -- in the table policy, if the confirmation played it\n"
    "  origin TEXT NOT NULL CHECK (origin IN ('base', 'start', 'neighbour')),\n"
    "  round INTEGER NOT NULL,           -- from 0\n"
    "  parent_id INTEGER,                -- of a neighbour\n"
    "  replications INTEGER NOT NULL,    -- of each scenario, in the search\n"
    "  standing TEXT NOT NULL CHECK (standing IN\n"
    "    ('front', 'open', 'beaten', 'alike', 'halved', 'forbidden', 'no data')),\n"
    "  against_id INTEGER                -- beaten by, or alike to\n"
    ") STRICT";

static const char TUNE_VALUE[] = "CREATE TABLE tune_value (\n"
                                 "  point_id INTEGER NOT NULL REFERENCES tune_point (id),\n"
                                 "  key TEXT NOT NULL,                -- a knob\n"
                                 "  value TEXT NOT NULL,              -- as a file says it\n"
                                 "  number INTEGER NOT NULL,          -- as in option.value\n"
                                 "  PRIMARY KEY (point_id, key)\n"
                                 ") STRICT, WITHOUT ROWID";

static const char TUNE_RUN[] = "CREATE TABLE tune_run (\n"
                               "  -- Runs of the search. The same place of a larger plan behaves as its digest says.\n"
                               "  point_id INTEGER NOT NULL,\n"
                               "  scenario_id INTEGER NOT NULL,\n"
                               "  replication INTEGER NOT NULL,\n"
                               "  digest TEXT NOT NULL,             -- of its behaviour\n"
                               "  PRIMARY KEY (point_id, scenario_id, replication)\n"
                               ") STRICT, WITHOUT ROWID";

static const char TUNE_METRIC[] =
    "CREATE TABLE tune_metric (\n"
    "  -- Objectives and constraints of each run of the search, in phase all.\n"
    "  point_id INTEGER NOT NULL,\n"
    "  scenario_id INTEGER NOT NULL,\n"
    "  replication INTEGER NOT NULL,\n"
    "  metric TEXT NOT NULL,\n"
    "  value REAL,                       -- NULL: none, or only known in part\n"
    "  PRIMARY KEY (point_id, scenario_id, replication, metric),\n"
    "  FOREIGN KEY (point_id, scenario_id, replication) REFERENCES tune_run (point_id, scenario_id, replication)\n"
    ") STRICT, WITHOUT ROWID";

static const char TUNE_GAIN[] =
    "CREATE TABLE tune_gain (\n"
    "  -- What a point gains over the base in the search: (base - point) / scale where lower is better, under the "
    "same\n"
    "  -- luck; with its 95 % interval over replications. Only points that played them all.\n"
    "  point_id INTEGER NOT NULL REFERENCES tune_point (id),\n"
    "  scenario_id INTEGER NOT NULL,     -- 0: the mean over all of them\n"
    "  metric TEXT NOT NULL,\n"
    "  gain REAL NOT NULL,               -- more is better; 0.1: a tenth of the scale, which is the base's mean\n"
    "  low REAL NOT NULL,\n"
    "  high REAL NOT NULL,\n"
    "  PRIMARY KEY (point_id, scenario_id, metric)\n"
    ") STRICT, WITHOUT ROWID";

static const char TUNE_SENSITIVITY[] =
    "CREATE TABLE tune_sensitivity (\n"
    "  -- What a knob does by itself to the gain: a straight line through the points of round 0.\n"
    "  key TEXT NOT NULL,\n"
    "  value TEXT NOT NULL,              -- from the first value of its axis to this one\n"
    "  scenario_id INTEGER NOT NULL,     -- 0: the mean over all of them\n"
    "  metric TEXT NOT NULL,\n"
    "  effect REAL NOT NULL,             -- on the gain\n"
    "  low REAL NOT NULL,                -- 95 % interval over replications\n"
    "  high REAL NOT NULL,\n"
    "  PRIMARY KEY (key, value, scenario_id, metric)\n"
    ") STRICT, WITHOUT ROWID";

static const char TUNE_CONFIRMATION[] =
    "CREATE TABLE tune_confirmation (\n"
    "  -- The pick against the base in the replications that the search has not seen.\n"
    "  scenarios TEXT NOT NULL CHECK (scenarios IN ('tuned', 'held out')),\n"
    "  metric TEXT NOT NULL,\n"
    "  gain REAL,                        -- mean over those scenarios; NULL: no data\n"
    "  low REAL,                         -- 95 % interval; NULL: too few replications\n"
    "  high REAL,\n"
    "  margin REAL NOT NULL,\n"
    "  p REAL NOT NULL,                  -- after Holm's correction over the objectives\n"
    "  verdict TEXT NOT NULL,\n"
    "  worst_scenario_id INTEGER,        -- in which least is gained\n"
    "  worst_gain REAL,\n"
    "  PRIMARY KEY (scenarios, metric)\n"
    ") STRICT, WITHOUT ROWID";

static const char INTERVAL_STATION[] =
    "CREATE TABLE interval_station (\n"
    "  -- What regions with limits bore in each interval; attempts by their arrival. Other regions have no rows.\n"
    "  run_id INTEGER NOT NULL,\n"
    "  n INTEGER NOT NULL,\n"
    "  region INTEGER NOT NULL,\n"
    "  arrivals INTEGER NOT NULL,        -- attempts\n"
    "  busy INTEGER NOT NULL,            -- ns, of all servers together\n"
    "  utilisation REAL,                 -- busy / what all servers have; NULL: the region has no servers\n"
    "  queue_peak INTEGER NOT NULL,      -- most attempts that waited at one instant\n"
    "  turned_away INTEGER NOT NULL,     -- attempts answered 503: no room to wait\n"
    "  throttled INTEGER NOT NULL,       -- attempts answered 429: no request units left\n"
    "  PRIMARY KEY (run_id, n, region),\n"
    "  FOREIGN KEY (run_id, n) REFERENCES interval (run_id, n)\n"
    ") STRICT, WITHOUT ROWID";

const sim_schema_table sim_schema_tables[] = {
    {"experiment", EXPERIMENT, "id", true},
    {"metric_definition", METRIC_DEFINITION, "position", true},
    {"scenario", SCENARIO, "id", true},
    {"region", REGION, "scenario_id, region", true},
    {"phase", PHASE, "scenario_id, number", true},
    {"policy", POLICY, "id", true},
    {"option", OPTION, "scenario_id, policy_id, workload, knob", true},
    {"sweep_point", SWEEP_POINT, "id", true},
    {"sweep_value", SWEEP_VALUE, "point_id, key", true},
    {"run", RUN, "id", true},
    {"run_timing", RUN_TIMING, "run_id", false},
    {"checkpoint", CHECKPOINT, "run_id, k", true},
    {"metric", METRIC, "run_id, phase, name", true},
    {"histogram", HISTOGRAM, "run_id, phase, outcome", true},
    {"interval", INTERVAL, "run_id, n", true},
    {"interval_region", INTERVAL_REGION, "run_id, n, region", true},
    {"interval_threshold", INTERVAL_THRESHOLD, "run_id, n, region", true},
    {"interval_station", INTERVAL_STATION, "run_id, n, region", true},
    {"transition", TRANSITION, "run_id, n", true},
    {"operation_sample", OPERATION_SAMPLE, "run_id, id", true},
    {"operation_attempt", OPERATION_ATTEMPT, "run_id, id, n", true},
    {"operation_event", OPERATION_EVENT, "run_id, id, n", true},
    {"tune", TUNE, "id", true},
    {"tune_objective", TUNE_OBJECTIVE, "n", true},
    {"tune_point", TUNE_POINT, "id", true},
    {"tune_value", TUNE_VALUE, "point_id, key", true},
    {"tune_run", TUNE_RUN, "point_id, scenario_id, replication", true},
    {"tune_metric", TUNE_METRIC, "point_id, scenario_id, replication, metric", true},
    {"tune_gain", TUNE_GAIN, "point_id, scenario_id, metric", true},
    {"tune_sensitivity", TUNE_SENSITIVITY, "key, value, scenario_id, metric", true},
    {"tune_confirmation", TUNE_CONFIRMATION, "scenarios, metric", true},
};
const size_t sim_schema_table_count = sizeof sim_schema_tables / sizeof *sim_schema_tables;

bool sim_schema_is_search(const char *table)
{
    return strncmp(table, "tune", strlen("tune")) == 0;
}

const char *sim_store_table(size_t n, bool *is_deterministic)
{
    if (n >= sim_schema_table_count)
        return NULL;
    *is_deterministic = sim_schema_tables[n].is_deterministic;
    return sim_schema_tables[n].name;
}
