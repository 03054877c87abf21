-- SPDX-License-Identifier: GPL-3.0-or-later
-- Knobs that are not at their default, and who set them.
SELECT policy, knob, text AS value, origin
FROM v_option_set
WHERE workload = ''
ORDER BY policy, knob;
