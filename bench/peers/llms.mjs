/** Runs the engine of claude-code-router: `node llms.mjs <port> <configuration>`. */
import { createRequire } from 'node:module'

// Its file for `import` requires `child_process` dynamically, which fails.
const { default: Server } = createRequire(import.meta.url)('@musistudio/llms')

const [port = '', configuration = '{}'] = process.argv.slice(2)
const server = new Server({
  logger: false,
  useJsonFile: false,
  initialConfig: { ...JSON.parse(configuration), HOST: '127.0.0.1', PORT: port },
})
await server.start()
