/** Names of model families, as they occur in names of models. o3 and its relatives are OpenAI's as well. */
const FAMILY_NAMES =
  /claude|gemini|gemma|gpt|grok|deepseek|kimi|glm|qwen|magistral|mistral|nova|command|llama|(?<=^|[/.])o\d/

/**
 * Returns the family of models that can read each other's reasoning: `us.anthropic.claude-sonnet-4` and `claude-opus-4`
 * are one family. Envelopes of encrypted reasoning contain it, so that its names do not change.
 */
export function reasoningFamily(model: string): string {
  const name = model.toLowerCase()
  const found = FAMILY_NAMES.exec(name)?.[0] ?? /^[a-z]*/.exec(name.slice(name.lastIndexOf('/') + 1))?.[0] ?? ''
  return /^o\d$/.test(found) ? 'gpt' : found
}

/** Whether a router chooses the model, whose family its name does not tell: `openrouter/auto`, `@preset/mine`. */
export const isRouterChoice = (model: string): boolean =>
  /(?:^|\/)auto(?:[:-]|$)|^(?:openrouter|@preset)\/[^/]+$/i.test(model)
