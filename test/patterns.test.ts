import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { check } from 'recheck'
import { describe, expect, it, onTestFailed, vi } from 'vitest'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/**
 * Matches comments, strings and regular expressions. A slash after a name, a number or a closing bracket is a division.
 */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=(?:[(,=:[!&|?{};\n>]|\breturn)\s*)\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

interface Pattern {
  readonly source: string
  readonly flags: string
}

/** The expressions in a template literal are code as well. */
const patternsIn = (text: string): readonly Pattern[] =>
  [...text.matchAll(TOKEN)].flatMap(([token, source, flags = '']): readonly Pattern[] => {
    if (source !== undefined) return [{ source, flags }]
    return token.startsWith('`') ? token.slice(1, -1).split('${').slice(1).flatMap(patternsIn) : []
  })

const show = ({ source, flags }: Pattern): string => `/${source}/${flags}`

describe('the reader of regular expressions', () => {
  it('finds patterns among divisions, comments and strings', () => {
    const text = [
      'const half = all / 2 / parts // of a / b /',
      "const a = /[/'](?:x|\\/)+/gu.test('no /regex/ here')",
      'const b = [/one/, /two/i]',
      'return /three/',
      'const c = `not /this/` /* nor /that/ */',
      `const d = \`but \${base.replace(/four/, '')}/this\``,
    ].join('\n')
    expect(patternsIn(text).map(show)).toEqual(["/[/'](?:x|\\/)+/gu", '/one/', '/two/i', '/three/', '/four/'])
  })
})

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const sources = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

/** Each pattern once, with the files that contain it. */
const all = new Map<string, Pattern & { readonly files: string[] }>()

function add(file: string, pattern: Pattern): void {
  const known = all.get(show(pattern))
  if (known === undefined) all.set(show(pattern), { ...pattern, files: [file] })
  else known.files.push(file)
}

for (const [file, text] of sources) for (const pattern of patternsIn(text)) add(file, pattern)

const BUILT = /\bnew RegExp\(/

/**
 * Imports the files that build patterns at run time and records their patterns. Patterns of other packages are ignored.
 */
async function addBuilt(): Promise<void> {
  const builders = files.filter((file) => BUILT.test(sources.get(file) ?? ''))
  const Native = RegExp
  class Recorded extends Native {
    constructor(...parts: ConstructorParameters<typeof RegExp>) {
      super(...parts)
      const maker = new Error().stack?.split('\n')[2] ?? ''
      const file = builders.find((name) => maker.includes(`/src/${name}`))
      if (file !== undefined) add(file, { source: this.source, flags: this.flags })
    }
  }
  vi.stubGlobal('RegExp', Recorded)
  for (const file of builders) await import(join(SRC, file))
  vi.unstubAllGlobals()
}

// Uses the automaton, which is deterministic. The fuzzing checker is random and limited by time.
const OPTIONS = { checker: 'automaton', timeout: null, recallTimeout: -1 } as const

/** Matches escapes, character classes, and brackets of groups. */
const PIECE = /\\.|\[(?:[^\]\\]|\\.)*\]|\(\?(?:[=!]|<[=!])|\(|\)/g
const UNBOUNDED = /[*+]|\{\d+,\}/
const withoutPieces = (source: string): string => source.replace(PIECE, '')

/**
 * The automaton does not support look-ahead. A look-ahead at the end of a pattern takes the time of its content, so
 * that the content replaces it. Another one only stops attempts early, and takes constant time if it is bounded: it is
 * removed. Returns null if neither applies.
 */
function withoutLookAhead(source: string): string | null {
  const starts: { readonly at: number; readonly isAhead: boolean }[] = []
  for (const { 0: piece, index } of source.matchAll(PIECE)) {
    if (piece.startsWith('(')) starts.push({ at: index, isAhead: /^\(\?[=!]/.test(piece) })
    const start = piece === ')' ? starts.pop() : undefined
    if (start?.isAhead !== true) continue
    const [before, inside, after] = [
      source.slice(0, start.at),
      source.slice(start.at + 3, index),
      source.slice(index + 1),
    ]
    if (after === '' && source[start.at + 2] === '=') return `${before}(?:${inside})`
    return UNBOUNDED.test(withoutPieces(inside)) ? null : withoutLookAhead(`${before}(?:)${after}`)
  }
  return source
}

/**
 * Returns the text that makes a pattern slow, or null if the pattern is proved to be linear. One without an unbounded
 * quantifier reads a bounded text at each place, which needs no automaton.
 */
async function complaintOf({ source, flags }: Pattern): Promise<string | null> {
  if (!UNBOUNDED.test(withoutPieces(source))) return null
  const read = withoutLookAhead(source)
  if (read === null) return 'not decided: it has an unbounded look-ahead'
  const { status, ...more } = await check(read, flags.replaceAll(/[dv]/g, ''), OPTIONS)
  if (status === 'safe') return null
  return 'attack' in more ? more.attack.pattern : 'not decided'
}

describe('every regular expression of the sources', () => {
  it('takes linear time on any text', async () => {
    await addBuilt()
    expect(all.size).toBeGreaterThan(200)
    const found: string[] = []
    let last = ''
    onTestFailed(() => void process.stderr.write(`the last that was read: ${last}\n`))
    for (const pattern of all.values()) {
      last = show(pattern)
      const complaint = await complaintOf(pattern)
      if (complaint !== null) found.push(`${pattern.files.join(', ')}: ${show(pattern)} ${complaint}`)
    }
    expect(found).toEqual([])
  })

  it('is checked also if it is built at run time', () => {
    for (const file of [
      'wires/model-names.ts',
      'wires/shared/upstream/error-messages.ts',
      'gateway/config/destinations.ts',
    ]) {
      expect([...all.values()].filter(({ files }) => files.includes(file)).map(show)).not.toEqual([])
    }
    expect([...all.keys()].join('\n')).toContain('no endpoints found for ')
  })

  it.each([
    ['two quantifiers that share a text', 'a*a*b'],
    ['the same before a look-ahead', 'a*a*(?=b)c'],
    ['the same in a look-ahead that ends it', 'x(?=a*a*b)'],
    ['a look-ahead that reads on at each place', '(?:a(?=.*b))*'],
    ['an unbounded look-ahead in a bounded one', 'x(?!a(?!.*b)c)d'],
    ['a look-behind', '(?<!a)b+c'],
  ])('is reported with %s', async (_, source) => {
    expect(await complaintOf({ source, flags: '' })).not.toBeNull()
  })

  it.each(['claude-(\\d)(?!\\d)x', 'nova-v(\\d)(?=$|[-:.@])', '(?!\\.{1,2}(?:\\/|$))[\\w.]+', '[(?!a*]b', '\\(?!'])(
    'is not reported if it is linear: %s',
    async (source) => {
      expect(await complaintOf({ source, flags: '' })).toBeNull()
    },
  )
})
