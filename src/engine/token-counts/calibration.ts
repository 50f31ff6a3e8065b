import { type CountedRequest, estimateTokens } from './estimate.ts'
import type { RequestSize } from './request-size.ts'

/** The upstream of a request: the vendor's name here, and the vendor's own name of the model. */
export interface CountedModel {
  readonly vendor: string
  readonly model: string
}

/** An estimate, and what it rests on. */
interface Estimate {
  readonly tokens: number
  /** Answers of the model itself, of other models of its vendor, or none: the rates of the family alone. */
  readonly basis: 'model' | 'vendor' | 'default'
  readonly answers: number
}

/** The tokens of requests as the answers of vendors reported them. It contains no text of any request. */
export interface Calibration {
  /** Whether the next answer of this model is worth the time of measuring its request. */
  wants(upstream: CountedModel): boolean
  learn(upstream: CountedModel, counted: CountedRequest): void
  /** Nothing is learned from an answer whose request was measured: it has no usage, or its upstream added content. */
  miss(upstream: CountedModel): void
  estimate(upstream: CountedModel, size: RequestSize): Estimate
}

/** Answers that are kept of a model and of a vendor, the last ones. */
const MOST_ANSWERS = 32
/** After as many answers in a row from which nothing was learned, only some are measured. */
const MOST_MISSED = 8
/** Of the answers of which only some are measured: one of these. */
const SELDOM = 8
const MOST_MODELS = 500
const LONGEST_NAME = 256

interface Known {
  counted: readonly CountedRequest[]
  /** Answers that were not measured since the last one that was. */
  skipped: number
  /** Answers since the last one from which something was learned. */
  readonly missed: number
}

const UNKNOWN: Known = { counted: [], skipped: 0, missed: 0 }

/** Bounded by the number of models; the one that answered least recently is forgotten first. */
export function createCalibration(): Calibration {
  const models = new Map<string, Known>()
  const vendors = new Map<string, readonly CountedRequest[]>()
  const keyOf = ({ vendor, model }: CountedModel): string => `${vendor} ${model}`
  const withNext = (list: readonly CountedRequest[], next: CountedRequest): readonly CountedRequest[] =>
    [...list, next].slice(-MOST_ANSWERS)
  const keep = (key: string, known: Known): void => {
    models.delete(key)
    models.set(key, known)
    const [oldest] = models.keys()
    if (models.size > MOST_MODELS && oldest !== undefined) models.delete(oldest)
  }

  return {
    wants(upstream) {
      if (upstream.model.length > LONGEST_NAME) return false
      const known = models.get(keyOf(upstream))
      if (known === undefined) return true
      if (known.counted.length < MOST_ANSWERS && known.missed < MOST_MISSED) return true
      known.skipped = (known.skipped + 1) % SELDOM
      return known.skipped === 0
    },
    learn(upstream, counted) {
      const key = keyOf(upstream)
      const { counted: earlier } = models.get(key) ?? UNKNOWN
      keep(key, { counted: withNext(earlier, counted), skipped: 0, missed: 0 })
      vendors.set(upstream.vendor, withNext(vendors.get(upstream.vendor) ?? [], counted))
    },
    miss(upstream) {
      const key = keyOf(upstream)
      const known = models.get(key) ?? UNKNOWN
      keep(key, { ...known, missed: known.missed + 1 })
    },
    estimate(upstream, size) {
      const ofModel = models.get(keyOf(upstream))?.counted ?? []
      const ofVendor = vendors.get(upstream.vendor) ?? []
      const tokens = estimateTokens(size, upstream.model, ofVendor, ofModel)
      if (ofModel.length > 0) return { tokens, basis: 'model', answers: ofModel.length }
      const basis = ofVendor.length > 0 ? 'vendor' : 'default'
      return { tokens, basis, answers: ofVendor.length }
    },
  }
}
