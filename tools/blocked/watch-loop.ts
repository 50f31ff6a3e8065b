import { threadMs } from './thread-time.ts'

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
