/**
 * Loaded into the server before its own code. Records the longest processor time, in milliseconds, between two turns of
 * the event loop. On a shared machine this is more reliable than the wait of a client: it grows with the work, and
 * hardly with the load of other processes.
 */
let longest = 0
let last = process.cpuUsage()

setInterval(() => {
  const { user, system } = process.cpuUsage(last)
  last = process.cpuUsage()
  longest = Math.max(longest, (user + system) / 1000)
}, 1).unref()

process.on('message', (message) => {
  if (message === 'report') process.send?.({ workMs: longest })
  if (message === 'reset') longest = 0
})
process.channel?.unref()
