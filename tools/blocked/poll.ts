import { Agent, get } from 'node:http'

/**
 * Requests `/healthz` continuously from its own process, so that neither the server nor the load delays it. On request,
 * sends the longest wait in milliseconds. A pending request counts with its time so far.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longest = 0
let asked = 0
let isOpen = false

function ask(url: string): void {
  asked = performance.now()
  isOpen = true
  const next = (pause: number): void => {
    longest = Math.max(longest, performance.now() - asked)
    isOpen = false
    setTimeout(ask, pause, url)
  }
  get(url, { agent }, (response) => {
    response.resume()
    response.on('end', () => next(2))
  }).on('error', () => next(20))
}

process.on('message', (message: { readonly url: string } | 'reset' | 'report') => {
  if (message === 'report') {
    process.send?.({ blockedMs: Math.max(longest, isOpen ? performance.now() - asked : 0) })
  } else if (message === 'reset') {
    longest = 0
    asked = performance.now()
  } else ask(message.url)
})
process.on('disconnect', () => process.exit(0))
