import { maskSecret } from './mask.ts'

/**
 * The forms of keys that can be recognised: with the prefixes of OpenAI, Anthropic, Groq, xAI, Google, AWS, GitHub, Slack
 * and this project, JSON Web Tokens, and what follows `Bearer`.
 */
const KEY =
  /\b(?:sk-|gsk_|xai-|AIza|AKIA|ASIA|gh[pousr]_|github_pat_|xox[abps]-|mr-)[\w-]{12,512}|\beyJ[\w-]{10,2048}\.[\w-]{10,2048}\.[\w-]{0,2048}|\bBearer +[\w.~+/=-]{12,2048}/g

/** Masks what has the form of a key in a text. Other secrets cannot be told from words. */
export const maskKeys = (text: string): string =>
  text.replace(KEY, (key) => (key.startsWith('Bearer') ? `Bearer ${maskSecret(key.slice(6).trim())}` : maskSecret(key)))
