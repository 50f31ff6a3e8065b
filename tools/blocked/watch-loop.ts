import { readFileSync } from 'node:fs'

/**
 * Loaded into the server before its own code. Records the longest processor time, in milliseconds, between two turns of
 * the event loop. On a shared machine this is more reliable than the wait of a client: it grows with the work, and
 * hardly with the load of other processes. Only the thread of the event loop counts: those of the garbage collector and
 * of the compiler run beside it and delay no other exchange.
 */
let longest = 0
let last = threadMs()

setInterval(() => {
  longest = Math.max(longest, threadMs() - last)
  last = threadMs()
}, 1).unref()

process.on('message', (message) => {
  if (message === 'report') process.send?.({ workMs: longest })
  if (message === 'reset') longest = 0
})
process.channel?.unref()

/** The processor time of this thread in milliseconds; without Linux' schedstat, that of the process. */
function threadMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}
