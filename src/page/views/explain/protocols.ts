/** The protocols of clients that can be explained, with the names that users see. */
export const CLIENT_PROTOCOLS: readonly (readonly [client: string, title: string])[] = [
  ['openai', 'Responses'],
  ['beta', 'Responses, dialect beta'],
  ['openai-chat', 'Chat completions'],
  ['anthropic-messages', 'Messages'],
  ['gemini-generate', 'Gemini'],
  ['gemini-interactions', 'Gemini Interactions'],
  ['ollama-chat', 'Ollama'],
]

export const isClientProtocol = (client: string): boolean => CLIENT_PROTOCOLS.some(([name]) => name === client)

/** Whether requests of a protocol have the model in their path and not in their body. */
export const hasModelInPath = (client: string): boolean => client === 'gemini-generate'
