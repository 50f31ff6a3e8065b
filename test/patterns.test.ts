import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { check, type Diagnostics } from 'recheck'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Comments, texts, and regular expressions: what follows a name, a number or a closing bracket divides. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=(?:[(,=:[!&|?{};\n>]|\breturn)\s*)\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

interface Pattern {
  readonly source: string
  readonly flags: string
}

/** What is put into a template is code as well. */
const patternsIn = (text: string): readonly Pattern[] =>
  [...text.matchAll(TOKEN)].flatMap(([token, source, flags = '']): readonly Pattern[] => {
    if (source !== undefined) return [{ source, flags }]
    return token.startsWith('`') ? token.slice(1, -1).split('${').slice(1).flatMap(patternsIn) : []
  })

const show = ({ source, flags }: Pattern): string => `/${source}/${flags}`

describe('the reader of regular expressions', () => {
  it('finds them beside divisions, comments and texts', () => {
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

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** Each pattern once, and the files that it stands in. */
const all = new Map<string, Pattern & { readonly files: string[] }>()
for (const file of files) {
  for (const pattern of patternsIn(readFileSync(join(SRC, file), 'utf8'))) {
    const known = all.get(show(pattern))
    if (known === undefined) all.set(show(pattern), { ...pattern, files: [file] })
    else known.files.push(file)
  }
}

// A fixed seed, and no search for the strongest attack: one that costs more than linear time is enough.
const OPTIONS = { randomSeed: 1, timeout: 60_000, recallTimeout: -1 } as const

/** Whatever is not proved or found safe, with the text that makes it slow. */
function complaintOf(files: readonly string[], { source, flags, status, ...more }: Diagnostics): readonly string[] {
  if (status === 'safe') return []
  const attack = 'attack' in more ? more.attack.pattern : 'not decided'
  return [`${files.join(', ')}: /${source}/${flags} ${attack}`]
}

describe('every regular expression', () => {
  it('takes linear time on any text', { timeout: 240_000 }, async () => {
    expect(all.size).toBeGreaterThan(100)
    const found: string[] = []
    for (const { files, source, flags } of all.values()) {
      const diagnostics = await check(source, flags.replaceAll(/[dv]/g, ''), OPTIONS)
      found.push(...complaintOf(files, diagnostics))
    }
    expect(found).toEqual([])
  })
})
