import fc from 'fast-check'

/**
 * Pieces that break careless code: astral characters and halves of them, quotes, control characters, markers and links.
 */
const PIECES = [
  '',
  'a',
  'Water ',
  'é',
  '日本',
  '😀',
  '\ud83d',
  '\ude00',
  '"',
  '\\',
  '\n',
  '\r',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u2028',
  '\ufeff',
  '[1]',
  '[site](https://a.example/1)',
  '<think>',
  '</think>',
  '{}',
  '{"city":"Bern"}',
  '[',
  ']',
  'data: [DONE]\n\n',
  '__proto__',
] as const

/** Any code points, including lone surrogates. `fc.string({ unit: 'binary' })`, without those, takes a second to create. */
export const anyCodePoints = (constraints: fc.ArrayConstraints = {}): fc.Arbitrary<string> =>
  fc.array(fc.nat({ max: 0x10_ffff }), constraints).map((points) => String.fromCodePoint(...points))

/** Any address of a page. `fc.webUrl()` takes a second to create. */
export const webUrls: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { maxLength: 5 }),
  )
  .map(([scheme, domain, path]) => `${scheme}://${[domain, ...path].join('/')}`)
  .map((text) => encodeURI(text).replaceAll(/[?#]/g, ''))

/** Any text, including lone surrogates. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: anyCodePoints({ maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(fc.nat({ max: 0xffff }), { maxLength: 4 }).map((u) => String.fromCharCode(...u)) },
)

/** Any text that is not empty. */
export const anyString: fc.Arbitrary<string> = hostile.map((text) => text || 'x')

/** Field names with a special meaning in JavaScript. */
export const TRAPS = ['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'length', 'then'] as const
