import type { Quirks } from '../wires/quirks.ts'
import type { Row } from './vendor.ts'

const responses = (baseUrl: string | null, keyVariable: string | null, quirks: Quirks = {}): Row => ({
  wire: 'openai-responses',
  baseUrl,
  keyVariable,
  quirks,
})

const OPENAI: Quirks = {
  openaiModels: true,
  developerRole: true,
  customTools: true,
  hostedHistory: true,
  callIds: 'long',
}

/** Vendors of the wire `openai-responses`. A vendor with the suffix `-responses` also has a row for its chat API. */
export const RESPONSES_VENDORS: Readonly<Record<string, Row>> = {
  openai: responses('https://api.openai.com/v1', 'OPENAI_API_KEY', OPENAI),
  azure: responses(null, 'AZURE_OPENAI_API_KEY', {
    ...OPENAI,
    keyHeader: 'api-key',
    ownModelNames: true,
    webSearch: 'preview',
    nativeSearch: 'plain',
  }),
  xai: responses('https://api.x.ai/v1', 'XAI_API_KEY', {
    // xAI's chat API lists sources without markers. Recordings of it are decoded with this row as well.
    unmarkedSources: true,
    runsCustomCalls: true,
    effort: 'xai',
    webSearch: 'xai',
    nativeSearch: 'either',
    refuses: ['presence_penalty', 'frequency_penalty'],
  }),
  chatgpt: responses('https://chatgpt.com/backend-api/codex', 'CHATGPT_ACCESS_TOKEN', {
    ...OPENAI,
    streamsOnly: true,
    needsInstructions: true,
    noSystemRole: true,
    refuses: [
      'max_output_tokens',
      'max_tool_calls',
      'temperature',
      'top_p',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'metadata',
      'user',
      'safety_identifier',
      'truncation',
    ],
  }),
  'openrouter-responses': responses('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', {
    effort: 'nested',
    webSearch: 'openrouter',
    nativeSearch: 'both',
    reasoningHistory: 'reasoning_details',
  }),
  'copilot-responses': responses('https://api.githubcopilot.com', 'GITHUB_COPILOT_TOKEN', OPENAI),
  'lmstudio-responses': responses('http://127.0.0.1:1234/v1', null, {
    reasoningHistory: 'reasoning',
    nativeSearch: 'none',
  }),
}
