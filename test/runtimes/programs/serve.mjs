/** Serves `worker.mjs` on a free port of loopback with the server of the runtime, and prints the port. */
import worker from './worker.mjs'

const hostname = '127.0.0.1'
const env = JSON.parse(process.env.WORKER_ENV)
const answer = (request) => worker.fetch(request, env)
const print = ({ port }) => console.log(`port ${port}`)

if (globalThis.Bun !== undefined) {
  print(globalThis.Bun.serve({ hostname, port: 0, idleTimeout: 0, fetch: answer }))
} else if (globalThis.Deno !== undefined) {
  globalThis.Deno.serve({ hostname, port: 0, onListen: print }, answer)
} else {
  const { serveWithNode } = await import('./serve-with-node.mjs')
  print(await serveWithNode(hostname, answer))
}
