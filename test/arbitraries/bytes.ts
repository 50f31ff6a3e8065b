import fc from 'fast-check'

/** The positions of cuts: any number, also inside characters and line ends, and with empty pieces. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(), { maxLength: 12 })

export function cutBytes(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

/** Cuts bytes into pieces of one size. */
export function slices(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}
