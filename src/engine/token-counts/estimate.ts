import { defaultRates, type Rates, termsOf } from './default-rates.ts'
import type { RequestSize } from './request-size.ts'

/** A request whose tokens its upstream has reported. */
export interface CountedRequest {
  readonly size: RequestSize
  /** All input tokens, those of caches included. */
  readonly tokens: number
}

/** Expected deviations of the rates of a vendor from those of the family, and of a model from those of its vendor. */
const VENDOR_DEVIATIONS: Rates = [4, 1, 0.06, 60, 4, 0.2, 0.2]
const MODEL_DEVIATIONS: Rates = [150, 2, 0.2, 400, 8, 0.5, 0.5]

/** The expected error of a count: a share of it, and one token. */
const ERROR_SHARE = 0.03
const LEAST_ERROR = 1
/** Errors beyond this multiple of the expected one have less weight, so that single odd counts move no estimate. */
const ODD_ERROR = 1.5
const ROUNDS = 4

/** However odd the counts of a model are, a text has at least this share of its usual tokens. */
const LEAST_SHARE = 0.4

/**
 * Estimates the input tokens of a request. The rates of the family of the model are corrected by the counted requests
 * of its vendor, and these by those of the model itself: a regression with an expected value for each rate, in which odd
 * counts weigh less. `model`: the upstream's own name.
 */
export function estimateTokens(
  size: RequestSize,
  model: string,
  ofVendor: readonly CountedRequest[],
  ofModel: readonly CountedRequest[],
): number {
  const vendor = correct(defaultRates(model), VENDOR_DEVIATIONS, ofVendor)
  const rates = correct(vendor, MODEL_DEVIATIONS, ofModel)
  const least = LEAST_SHARE * (size.text + size.toolText)
  return Math.max(1, Math.round(Math.max(least, product(rates, termsOf(size)))))
}

const product = (rates: readonly number[], terms: readonly number[]): number =>
  terms.reduce((sum, term, at) => sum + term * (rates[at] ?? 0), 0)

/** Returns the rates that fit these requests best, close to the expected ones. */
function correct(expected: Rates, deviations: Rates, counted: readonly CountedRequest[]): Rates {
  if (counted.length === 0) return expected
  const samples = counted.map(({ size, tokens }) => ({ terms: termsOf(size), tokens }))
  let rates: readonly number[] = expected
  for (let round = 0; round < ROUNDS; round += 1) {
    const weighted = samples.map(({ terms, tokens }) => {
      const error = ERROR_SHARE * tokens + LEAST_ERROR
      const off = round === 0 ? 0 : Math.abs(product(rates, terms) - tokens) / error
      return { terms, tokens, weight: (off <= ODD_ERROR ? 1 : ODD_ERROR / off) / error ** 2 }
    })
    rates = solve(equationsOf(expected, deviations, weighted))
  }
  return rates as Rates
}

interface Weighted {
  readonly terms: Rates
  readonly tokens: number
  readonly weight: number
}

/** The normal equations of the regression: one row a rate, its right side last. */
const equationsOf = (expected: Rates, deviations: Rates, weighted: readonly Weighted[]): number[][] =>
  expected.map((mean, row) => {
    const trust = 1 / (deviations[row] ?? 1) ** 2
    const sumOf = (other: (sample: Weighted) => number): number =>
      weighted.reduce((sum, sample) => sum + sample.weight * (sample.terms[row] ?? 0) * other(sample), 0)
    const left = expected.map((_, at) => sumOf(({ terms }) => terms[at] ?? 0) + (at === row ? trust : 0))
    return [...left, sumOf(({ tokens }) => tokens) + mean * trust]
  })

/** Solves equations by elimination. They are positive definite, so that no pivot is 0. */
function solve(rows: number[][]): readonly number[] {
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0
  const last = rows.length
  for (let pivot = 0; pivot < last; pivot += 1) {
    for (let row = 0; row < last; row += 1) {
      if (row === pivot) continue
      const factor = at(row, pivot) / at(pivot, pivot)
      rows[row] = (rows[row] ?? []).map((value, column) => value - factor * at(pivot, column))
    }
  }
  return rows.map((_, row) => at(row, last) / at(row, row))
}
