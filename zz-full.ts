import { createServer } from 'node:http'
import { Cancellation } from './src/host/cancellation.ts'
import { readExchanges } from './src/host/recording/read-exchange.ts'
import { createRecorder } from './src/host/recording/recorder.ts'
import { createAgent, httpTransport } from './src/host/upstream/http-transport.ts'

const size = Number(process.argv[3])
const upstream = createServer((req, res) => {
  req.resume()
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.end('data: x\n\n'.repeat(size))
})
await new Promise<void>((r) => upstream.listen(0, '127.0.0.1', r))
const port = (upstream.address() as any).port
const folder = process.argv[2]!
const recorder = createRecorder({
  folder,
  secrets: ['secret-of-nobody'],
  onFailure: (n, r) => console.log('FAIL', n, r),
})
const t = recorder.wrap(
  httpTransport(createAgent({ connect_seconds: 5, first_byte_seconds: 5, idle_seconds: 5 } as any)),
  { vendor: 'acme', wire: 'openai-chat', quirks: {}, baseUrl: `http://127.0.0.1:${port}/v1` },
)
for (let i = 0; i < 3; i++) {
  const r = await t(
    {
      url: new URL(`http://127.0.0.1:${port}/v1/chat/completions`),
      headers: {},
      body: '{"a":1}',
      model: 'm',
      stream: true,
    },
    new Cancellation(),
  )
  if (r.ok) await new Promise<void>((done) => r.value.read({ bytes() {}, end: () => done(), fail: () => done() }))
}
await recorder.close()
const { exchanges, problems } = readExchanges(folder)
console.log(
  'exchanges',
  await Promise.all(exchanges.map(async (e) => [e.name, (await e.body()).length, size * 9])),
  problems,
)
process.exit()
