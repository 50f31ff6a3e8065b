/** The protocols in which this view sends requests and reads answers. */
export type LiveProtocol =
  | 'responses-openai'
  | 'responses-beta'
  | 'openai-chat'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'gemini-interactions'
  | 'ollama-chat'

export const PROTOCOL_LABELS: Readonly<Record<LiveProtocol, string>> = {
  'responses-openai': 'Responses (openai)',
  'responses-beta': 'Responses (beta)',
  'openai-chat': 'Chat completions',
  'anthropic-messages': 'Anthropic messages',
  'gemini-generate': 'Gemini generateContent',
  'gemini-interactions': 'Gemini Interactions',
  'ollama-chat': 'Ollama chat',
}

export const LIVE_PROTOCOLS = Object.keys(PROTOCOL_LABELS) as readonly LiveProtocol[]
