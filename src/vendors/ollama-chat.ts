import type { Row } from './vendor.ts'

/** Ollama's own API. Its OpenAI-compatible APIs are `ollama-compat` and `ollama-cloud`, of the wire `openai-chat`. */
export const OLLAMA_VENDORS: Readonly<Record<string, Row>> = {
  ollama: {
    wire: 'ollama-chat',
    baseUrl: 'http://127.0.0.1:11434',
    keyVariable: null,
    // For servers and models that are older than the field `thinking`.
    quirks: { thinkTags: true },
  },
}
