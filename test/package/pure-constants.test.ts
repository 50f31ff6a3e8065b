import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { annotated, markPureConstants } from '../../tools/package/pure-constants.ts'

/** As the package has it: marked, written without white space, and with the comments for bundlers again. */
async function packed(text: string): Promise<string> {
  const { code } = await transform(markPureConstants(text), { minifyWhitespace: true, target: 'es2022' })
  return annotated(code)
}

/** As a program that uses nothing of it. */
const unused = async (text: string): Promise<string> =>
  (await transform(text, { treeShaking: true, minify: true, format: 'esm' })).code

const EFFECTS = [
  'const table = toTable({ ...rows }, rows.length)',
  'const names = Object.keys(rows)',
  'const first = rows[0]',
  'const later = { ...rows, more: true }',
  `const sum = \`\${rows}\``,
  'const kinds = new Set(rows.flatMap((row) => row.kinds))',
  'const own = { [rows.name]: 1 }',
  'const one = [...rows], two = make(one)',
]

describe('the constants of a chunk', () => {
  it.each(EFFECTS)('a bundler keeps %s without a mark, and leaves it out with one', async (text) => {
    expect(await unused(text)).not.toBe('')
    expect(await packed(text)).toContain('/* @__PURE__ */')
    expect(await unused(await packed(text))).toBe('')
  })

  it.each([
    'const step=state=>read(state.text);',
    'class Reader{read(){return rows[0]}}',
    'const bound=160,name="text",pattern=/a/;',
    'setUp(rows);',
    'let count=start();',
  ])('%s stays as it is', async (text) => {
    expect(await packed(text)).toBe(`${text}\n`)
  })

  it('their values and the names of their functions are the same', async () => {
    const text = `
      const rows = [{ kinds: ['a', 'b'] }, { kinds: ['b'] }]
      const kinds = new Set(rows.flatMap((row) => row.kinds))
      const writers = { write: () => 1, ...{ read() {} } }
      export const [size, name, text] = [kinds.size, writers.write.name, \`\${rows.length}
      lines\`]`
    const load = async (code: string): Promise<unknown> => ({
      ...(await import(`data:text/javascript,${encodeURIComponent(code)}`)),
    })
    expect(await load(await packed(text))).toEqual(await load(text))
  })
})
