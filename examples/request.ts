// Translates a request of an Anthropic client to chat completions of Groq, and lists the losses.
import { translateRequest } from 'millrace'

const request = {
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  top_k: 5,
  messages: [{ role: 'user', content: 'Hello!' }],
}
const translated = translateRequest(request, { from: 'anthropic-messages', vendor: 'groq', model: 'qwen/qwen3-32b' })

if (!translated.ok) throw new Error(translated.error.message)
console.log(translated.path, JSON.stringify(translated.body))
for (const { path, action, why } of translated.losses) console.log(`${path} ${action}: ${why}`)
