import { maskSecret } from './mask.ts'

/** Matches the word after `Bearer`, and words that may be keys. */
const WORD = /\bBearer [\w.~+/=-]+|[\w.-]+/g

const BEARER = 'Bearer '

/**
 * The beginnings of keys of OpenAI, Anthropic, Groq, xAI, Google, AWS, GitHub and Slack, of this project, and of JSON Web
 * Tokens.
 */
const BEGINNINGS = ['sk-', 'gsk_', 'xai-', 'AIza', 'AKIA', 'ASIA', 'gh', 'github_pat_', 'xox', 'mr-', 'eyJ']

const SHORTEST_KEY = 16

/** Masks what has the form of a key in a text. Other secrets cannot be told from words. */
export const maskKeys = (text: string): string =>
  text.replace(WORD, (word) => {
    if (word.startsWith(BEARER)) return BEARER + maskSecret(word.slice(BEARER.length))
    return isKey(word) ? maskSecret(word) : word
  })

/** Long words without a digit, such as `sk-learn-documentation`, are names. */
const isKey = (word: string): boolean =>
  word.length >= SHORTEST_KEY && /\d/.test(word) && BEGINNINGS.some((beginning) => word.startsWith(beginning))
