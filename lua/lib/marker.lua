-- marker: what stands for an entry of the ordering list that is about to be removed.

-- A script writes MARKER over the entries that it removes, and then removes all markers with one LREM. Nobody else
-- ever sees a marker. It is a packed member all the same, so no reader would fail on one.
local MARKER = '\015removed by rdq1\0\0\0\0\0\0\0\0'
