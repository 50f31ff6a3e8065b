// Reads a recorded stream of Claude as typed events.
import { createReadStream } from 'node:fs'
import { streamEvents } from 'millrace'

const recording = createReadStream('fixtures/anthropic-messages/search.stream.sse')

for await (const event of streamEvents(recording, { from: 'anthropic-messages' })) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
  if (event.type === 'response.output_text.annotation.added' && event.annotation.type === 'url_citation')
    process.stdout.write(` [${event.annotation.url}] `)
  if (event.type === 'response.completed') console.log(`\n${event.response.usage?.total_tokens} tokens`)
}
