import fc from 'fast-check'
import { anyCodePoints, hostile } from './strings.ts'

/** Pieces that change the path of a URL unless they are escaped, and model names to combine them with. */
const PIECES = [
  '..',
  '.',
  '/',
  '//',
  '\\',
  '%2e',
  '%2E%2e',
  '%2F',
  '%5c',
  '%00',
  '%',
  '%25',
  '?',
  '?alt=x&key=1',
  '#',
  '@',
  ':',
  ':443',
  ';',
  '&',
  '=',
  ' ',
  '\t',
  '\r\n',
  '\u0000',
  '\u007f',
  '\u0085',
  '\ud800',
  '\udfff',
  '\u2024',
  '\u2025',
  '\u3002',
  '\uff0e',
  '\uff0f',
  '\u2215',
  '\u202e',
  '\ufeff',
  'evil.example',
  '//evil.example/',
  'https://evil.example/',
  'user:pass@evil.example',
  'OTHER/locations/eu/endpoints/123',
  'models/',
  'tunedModels/',
  'publishers/google/models/',
  'arn:aws:bedrock:us-east-1:123456789012:inference-profile/',
  'gpt-5',
  'claude-sonnet-4@20250514',
  'gemini-3-pro',
  'us.amazon.nova-pro-v1:0',
  'meta-llama/llama-3:free',
  'ft:gpt-4o:acme::abc',
  'm:generateContent',
] as const

const pieces = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))

/** Names around the maximum length and beyond. */
const long = fc
  .tuple(fc.constantFrom('a', '../', '%2e%2e/', 'a/', '\ud83d\ude00'), fc.constantFrom(100, 2000, 5000))
  .map(([piece, times]) => piece.repeat(times))

/** Any text as a model name. */
export const modelNames: fc.Arbitrary<string> = fc.oneof(
  { weight: 30, arbitrary: pieces },
  { weight: 6, arbitrary: hostile },
  { weight: 6, arbitrary: anyCodePoints({ maxLength: 30 }) },
  { weight: 1, arbitrary: long },
)
