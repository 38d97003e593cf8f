-- wrk's requests: each a traffic violation with the next id, or, where `cycle`
-- is above 0, with one of that many ids a thread again and again.
-- Arguments: file before the id, file after it, first id, ids a thread may use, cycle.

local threads = 0

function setup(thread)
  thread:set("index", threads)
  threads = threads + 1
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local before, after, first, cycle, sent

function init(args)
  before, after = read(args[1]), read(args[2])
  first = tonumber(args[3]) + index * tonumber(args[4])
  cycle = tonumber(args[5])
  sent = 0
end

local headers = { ["content-type"] = "application/json" }

function request()
  local id = first + (cycle > 0 and sent % cycle or sent)
  sent = sent + 1
  return wrk.format("POST", nil, headers, before .. string.format("%d", id) .. after)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failures":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
