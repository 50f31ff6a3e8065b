import type { Row } from './vendor.ts'

/** Ollama's own API. Its compatible doors are `ollama-compat` and `ollama-cloud`, of the chat wire. */
export const OLLAMA_VENDORS: Readonly<Record<string, Row>> = {
  ollama: {
    wire: 'ollama-chat',
    baseUrl: 'http://127.0.0.1:11434',
    keyVariable: null,
    // Servers and models from before `thinking` had a field of its own.
    quirks: { thinkTags: true },
  },
}
