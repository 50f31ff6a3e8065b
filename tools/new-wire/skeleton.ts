import { readdirSync, readFileSync } from 'node:fs'

const SKELETON = new URL('skeleton/', import.meta.url)

/** The places of the parts of the skeleton in the repository. */
const PLACES: readonly (readonly [part: string, placeOf: (wire: string) => string])[] = [
  ['src/', (wire) => `src/wires/${wire}/`],
  ['test/', (wire) => `test/wires/${wire}/`],
  ['fixtures/', (wire) => `fixtures/${wire}/`],
  ['docs/wire.', (wire) => `docs/wires/${wire}.`],
]

export const toCamel = (wire: string): string => wire.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const toPascal = (wire: string): string => toCamel(wire).replace(/^\w/, (letter) => letter.toUpperCase())

/** Adds a line before a text, which has to occur once. */
function lineBefore(text: string, mark: string, line: string): string {
  const at = text.indexOf(mark)
  if (at < 0 || text.indexOf(mark, at + 1) >= 0) throw new Error(`expected "${mark.trim()}" once`)
  return `${text.slice(0, at)}${line}\n${text.slice(at)}`
}

/** Returns an error if no wire can have this name; otherwise null. */
export function faultOfName(wire: string, known: readonly string[]): string | null {
  if (!/^[a-z]+(?:-[a-z]+)*$/.test(wire))
    return `"${wire}" is not a name of lower-case letters with - between its words`
  return known.includes(wire) ? `the wire ${wire} exists` : null
}

/**
 * The files of the smallest wire, by their paths, and the two files that get a line for it: its name, and a vendor. All
 * other files that contain it are generated from them.
 */
export function skeletonOf(wire: string): Readonly<Record<string, string>> {
  const fill = (text: string): string =>
    text.replaceAll('__name__', wire).replaceAll('__camel__', toCamel(wire)).replaceAll('__Name__', toPascal(wire))
  const parts = readdirSync(SKELETON, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.txt'))
  const own = parts.map((file): readonly [string, string] => {
    const [part, placeOf] = PLACES.find(([start]) => file.startsWith(start)) ?? ['', () => '']
    const path = `${placeOf(wire)}${file.slice(part.length, -'.txt'.length)}`
    return [path, fill(readFileSync(new URL(file, SKELETON), 'utf8'))]
  })
  const key = wire.includes('-') ? `'${wire}'` : wire
  const variable = `${wire.replaceAll('-', '_').toUpperCase()}_API_KEY`
  const row = `  ${key}: { wire: '${wire}', baseUrl: null, keyVariable: '${variable}', quirks: {} },`
  return {
    ...Object.fromEntries(own),
    'src/wires/names.ts': lineBefore(readFileSync('src/wires/names.ts', 'utf8'), '} as const', `  ${key}: false,`),
    'src/vendors/rows.ts': lineBefore(
      readFileSync('src/vendors/rows.ts', 'utf8'),
      '  // The vendors of new wires are added here.',
      row,
    ),
  }
}
