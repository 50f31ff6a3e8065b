import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

/** Folders whose files may test names of models. */
const OWNERS = ['models/', 'vendors/']

/** Files with names of models that test nothing: examples for users, the models that agents start with, and scripts. */
const VALUES = ['page/views/explain/', 'cli/commands/', 'cli/launch/', 'testing/scripted/', 'testing/mock/']

/** Names of models, and beginnings of such names. */
const NAME =
  /^(?:[a-z]+[/.])?(?:claude|gpt|gemini|gemma|grok|deepseek|kimi|glm|qwen|mistral|magistral|codestral|ministral|llama|nova|command|sonar|minimax)\d?[.-][\w.:-]*$|^o[1-9](?:-|$)/i

/** Names of a family of the table, of wires, of vendors and of programs. */
const WORDS: ReadonlySet<string> = new Set(
  'gpt-oss gemini-generate gemini-interactions mistral-ai deepseek-responses claude-code claude-code-router'.split(' '),
)

const FAMILIES =
  /claude|gpt|gemini|gemma|grok|deepseek|kimi|glm-|qwen|mistral|magistral|codestral|llama|nova-|command-/i

/** Regular expressions after an operator or a bracket, and texts in quotes. */
const REGEX = /(?:[(,=:[!&|?{;]|return)\s*\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*/g
const TEXT = /'((?:[^'\\\n]|\\.)*)'/g

const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && ![...OWNERS, ...VALUES].some((folder) => file.startsWith(folder)))

const found = (pattern: RegExp, is: (text: string) => boolean): readonly string[] =>
  files.flatMap((file) =>
    [...codeOf(readFileSync(join(SRC, file), 'utf8')).matchAll(pattern)].flatMap(([, text = '']) =>
      is(text) ? [`${file}: ${text}`] : [],
    ),
  )

describe('names of models', () => {
  it('occur in no regular expression outside src/models and src/vendors', () => {
    expect(found(REGEX, (text) => FAMILIES.test(text))).toEqual([])
  })

  it('occur in no text outside src/models and src/vendors that is compared with another', () => {
    expect(found(TEXT, (text) => NAME.test(text) && !WORDS.has(text))).toEqual([])
  })

  it.each(['/claude-3/.test(model)', "model.startsWith('gpt-5')", "model === 'o3-mini'"])('are found in %s', (line) => {
    const code = codeOf(`const a = ${line}; const b = (${line})`)
    const regexes = [...code.matchAll(REGEX)].some(([, text = '']) => FAMILIES.test(text))
    const texts = [...code.matchAll(TEXT)].some(([, text = '']) => NAME.test(text) && !WORDS.has(text))
    expect(regexes || texts).toBe(true)
  })
})
