import type { WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'

/** A further wire of a vendor, besides the one of its row. */
export interface OtherWire {
  readonly baseUrl: string
  readonly quirks: Quirks
}

export type OtherWires = Readonly<Partial<Record<WireName, OtherWire>>>

/** Anthropic's protocol at vendors of other models. All of them accept the key of their chat API. */
const messages = (baseUrl: string, quirks: Quirks = {}): OtherWires => ({
  'anthropic-messages': {
    baseUrl,
    quirks: {
      keyHeader: 'authorization',
      billingLine: 'dropped',
      // Features of Claude, which the documents of DeepSeek call ignored and others do not name.
      clientHeaders: ['anthropic-version'],
      nativeSearch: 'none',
      countsTokens: false,
      // As Anthropic requires it.
      refusesInSchemas: ['rootType'],
      ...quirks,
    },
  },
})

/** No model of these vendors is a Claude, under any name. */
const OTHER_MODELS: Quirks['modelFacts'] = { '*': { family: 'other' } }

/** Hosts of open models run no tools of OpenAI: Codex asks each of them for images. */
const OPEN_RESPONSES: Quirks = {
  nativeSearch: 'none',
  refusesTools: ['image_generation'],
  refusesMembers: ['client_metadata'],
}

const responses = (baseUrl: string, quirks: Quirks = OPEN_RESPONSES): OtherWires => ({
  'openai-responses': { baseUrl, quirks },
})

/** How OpenRouter's Responses API differs from OpenAI's. */
export const OPENROUTER_RESPONSES: Quirks = {
  // It routes to vendors that require an object at the root.
  refusesInSchemas: ['rootType'],
  videoParts: true,
  effort: 'nested',
  webSearch: 'openrouter',
  nativeSearch: 'both',
  reasoningHistory: 'reasoning_details',
  cacheControl: true,
  changesInInput: ['additional_tools', 'openrouter:tool_search'],
}

/** The features of Claude that it documents: it forwards no others (openrouter.ai/docs, Provider routing, 2026-11). */
const OPENROUTER_BETAS = [
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'structured-outputs-2025-11-13',
] as const

/** Further wires by the vendor's name. Each of them has clients, for which it is chosen. */
export const OTHER_WIRES: Readonly<Record<string, OtherWires>> = {
  deepseek: messages('https://api.deepseek.com/anthropic', {
    platform: 'deepseek',
    // Its table of members has the effort of `output_config` alone.
    modelFacts: { '*': { family: 'other', jsonSchema: false } },
  }),
  deepinfra: messages('https://api.deepinfra.com/anthropic', { platform: 'deepinfra' }),
  fireworks: {
    ...messages('https://api.fireworks.ai/inference', { platform: 'fireworks' }),
    ...responses('https://api.fireworks.ai/inference/v1', { ...OPEN_RESPONSES, platform: 'fireworks' }),
  },
  google: {
    'gemini-interactions': {
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      quirks: { refusesInSchemas: ['rootType', 'beside$ref'], keyHeader: 'x-goog-api-key' },
    },
  },
  groq: responses('https://api.groq.com/openai/v1', { ...OPEN_RESPONSES, platform: 'groq' }),
  huggingface: responses('https://router.huggingface.co/v1'),
  openrouter: {
    ...messages('https://openrouter.ai/api', {
      nativeSearch: 'either',
      // It reads files for every model (openrouter.ai/docs, Create a message, PDFs).
      files: 'file',
      clientHeaders: ['anthropic-beta', 'anthropic-version'],
      betas: OPENROUTER_BETAS,
    }),
    ...responses('https://openrouter.ai/api/v1', OPENROUTER_RESPONSES),
  },
  xiaomi: messages('https://api.xiaomimimo.com/anthropic', { modelFacts: OTHER_MODELS }),
  // With the beta of advanced tool use, tools are deferred that no request defers (zai-org/feedback#172).
  zai: messages('https://api.z.ai/api/anthropic', { platform: 'zai', modelFacts: OTHER_MODELS }),
}
