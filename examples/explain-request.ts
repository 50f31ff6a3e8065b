// Lists what Anthropic would receive for a request of chat completions, and how it differs.
import { explainRequest } from 'millrace'

const request = {
  model: 'gpt-5.1',
  max_tokens: 100,
  seed: 7,
  messages: [{ role: 'user', content: 'Hello!' }],
}
const explained = explainRequest(request, { client: 'openai-chat', vendor: 'anthropic', model: 'claude-sonnet-4-5' })

if (!explained.ok) throw new Error(explained.error.message)
console.log(explained.isPassed ? 'passed through' : 'translated', JSON.stringify(explained.upstream))
for (const { kind, path, upstreamPath } of explained.changes) console.log(`${kind} ${path} -> ${upstreamPath}`)
for (const { path, action, why } of explained.losses) console.log(`${path} ${action}: ${why}`)
for (const { path, setBy } of explained.breakpoints) console.log(`${path} set by ${setBy}`)
for (const { path, message } of explained.complaints) console.log(`${path}: ${message}`)
