// Two turns with Claude by one object: typed events of the first answer, whose reasoning and calls come back in the second.
import { createTranslator, outputText } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: process.env.ANTHROPIC_API_KEY },
  onOutcome: ({ upstream, losses, remedy }) => console.error(upstream.id, upstream.finishReason, losses, remedy ?? ''),
})
const ask = (input: unknown) => {
  const call = translator.encodeRequest({ model: 'any', input, stream: true, reasoning: { effort: 'high' } })
  if (!call.ok) throw new Error(call.error.message)
  return call
}

const question = { role: 'user', content: 'How many ferries leave before eight?' }
const first = ask([question])
const output: object[] = []
for await (const event of translator.events(fetch(first.url, first.init), first)) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
  if (event.type === 'response.output_item.done') output.push(event.item)
}

const second = ask([question, ...output, { role: 'user', content: 'And after eight?' }])
console.log(outputText(await translator.collect(fetch(second.url, second.init), second)))
