// Checks a live server, as a test suite would: here the scripted upstream of the package, with and without a defect.
import { checkServer } from 'millrace/conformance'
import { openMock } from 'millrace/testing'

const server = await openMock()
const only = ['text', 'tool', 'structured-output', 'error-input']
for (const model of ['script', 'script+fault-chat-usage-total']) {
  const { rows } = await checkServer({ url: `${server.url}/v1`, model, protocol: 'chat', only })
  for (const { name, status, findings } of rows) console.log(name, status, findings[0]?.message ?? '')
}
await server.close()
