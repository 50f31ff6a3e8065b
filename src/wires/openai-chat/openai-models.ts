/** `openai/gpt-5` → `gpt-5`. */
const bare = (model: string): string => model.slice(model.lastIndexOf('/') + 1)

/** OpenAI's models that think: they take max_completion_tokens only, and refuse what would bend their choice of words. */
export const isThinkingModel = (model: string): boolean =>
  /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(bare(model)) && !bare(model).includes('-chat')

/** Fields that a thinking model answers with a 400. */
export const REFUSED_BY_THINKERS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const
