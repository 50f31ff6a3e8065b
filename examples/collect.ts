// Reads a recorded stream of Claude, and prints the response object and the losses.
import { createReadStream } from 'node:fs'
import { collectResponse } from 'millrace'

const recording = createReadStream('fixtures/anthropic-messages/search.stream.sse')
const response = await collectResponse(recording, {
  from: 'anthropic-messages',
  onOutcome: ({ losses }) => console.log('dropped:', losses.join(', ') || 'nothing'),
})

for (const item of response.output) console.log(item.type)
console.log(response.status, response.usage?.total_tokens)
