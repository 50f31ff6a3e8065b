import { maskSecret } from './mask.ts'

/**
 * Matches the word after `Bearer`, words that may be keys, and escapes of JSON, also in JSON in a string: the letter of
 * one would otherwise be the first of the word after it.
 */
const WORD = /\\+(?:u[\da-fA-F]{4}|[bfnrt])?|Bearer [\w.~+/=-]+|[\w.-]+/g

const BEARER = 'Bearer '

/** The password in an address, such as that of an MCP server: `https://name:password@host` (RFC 3986, 3.2.1). */
const IN_URL = /:\/\/([^\s/@:"'<>\\]{0,128}):([^\s/@"'<>\\]{4,256})@/g

/**
 * The beginnings of keys of OpenAI, Anthropic, Groq, xAI, Google, AWS, GitHub and Slack, of this project, and of JSON Web
 * Tokens, whose parts have points between them: data in base64 has the same letters.
 */
const BEGINNINGS = /^(?:sk-|gsk_|xai-|AIza|AKIA|ASIA|gh[opsru]_|github_pat_|xox[a-z]-|mr-|eyJ[\w-]*\.)/

const SHORTEST_KEY = 16

/** Masks the passwords of addresses in a text, which may be JSON. */
export const maskPasswords = (text: string): string =>
  text.replace(IN_URL, (_, user: string, password: string) => `://${user}:${maskSecret(password)}@`)

/** Masks what has the form of a key in a text. Other secrets cannot be distinguished from words. */
export const maskKeys = (text: string): string =>
  maskPasswords(text).replace(WORD, (word) => {
    if (word.startsWith(BEARER)) return BEARER + maskSecret(word.slice(BEARER.length))
    return isKey(word) ? maskSecret(word) : word
  })

/** Long words without a digit, such as `sk-learn-documentation`, are names. */
const isKey = (word: string): boolean => word.length >= SHORTEST_KEY && /\d/.test(word) && BEGINNINGS.test(word)

/** The words of a text that have the form of a key, and the passwords of its addresses. */
export const keysIn = (text: string): readonly string[] => [
  ...[...text.matchAll(IN_URL)].map(([, , password = '']) => password),
  ...[...text.matchAll(WORD)].flatMap(([match]) => {
    const word = match.startsWith(BEARER) ? match.slice(BEARER.length) : match
    return isKey(word) ? [word] : []
  }),
]
