/**
 * Loaded into the server before its own code: notes the longest processor time that passed between two turns of its loop, in
 * milliseconds. On a machine that is shared this says more than the wait of a client: it grows with the work, and hardly with
 * what others do.
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
