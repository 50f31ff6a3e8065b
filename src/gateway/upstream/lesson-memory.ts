import type { Quirks } from '../../wires/quirks.ts'
import type { Lesson } from '../../wires/shared/upstream/refusals.ts'

/** A model of an upstream. */
interface UpstreamModel {
  readonly vendor: string
  readonly model: string
}

/** The lessons of refusals, by the models of upstreams. The memory ends with the process. */
export interface LessonMemory {
  /** The quirks of a vendor with what is known about the model. The same object: nothing is known. */
  quirksFor(upstream: UpstreamModel, quirks: Quirks): Quirks
  /** The lines of configuration that would make it permanent. */
  linesFor(upstream: UpstreamModel): readonly string[]
  note(upstream: UpstreamModel, lesson: Lesson): void
  /** Called when a lesson was of no use. */
  forget(upstream: UpstreamModel, lesson: Lesson): void
}

/** Vendors change what they accept. */
const AGE_MS = 12 * 60 * 60 * 1000
const MOST_MODELS = 1000
const MOST_LESSONS = 16

interface Known {
  readonly lessons: readonly Lesson[]
  readonly until: number
}

const joinLists = <T>(first: readonly T[] | undefined, second: readonly T[] | undefined): readonly T[] | undefined =>
  first === undefined || second === undefined ? (second ?? first) : [...new Set([...first, ...second])]

/** A later lesson about the same fact takes precedence. */
export function withLesson(quirks: Quirks, model: string, { facts, quirks: learned = {} }: Lesson): Quirks {
  const refusesMembers = joinLists(quirks.refusesMembers, learned.refusesMembers)
  const refusesInSchemas = joinLists(quirks.refusesInSchemas, learned.refusesInSchemas)
  const own = quirks.modelFacts?.[model]
  return {
    ...quirks,
    ...learned,
    ...(refusesMembers === undefined ? {} : { refusesMembers }),
    ...(refusesInSchemas === undefined ? {} : { refusesInSchemas }),
    ...(facts === undefined ? {} : { modelFacts: { ...quirks.modelFacts, [model]: { ...own, ...facts } } }),
  }
}

/** `vendors.acme.quirks: {"modelFacts":{"new-model":{"sampling":"none"}}}` */
export const configurationLine = ({ vendor, model }: UpstreamModel, lesson: Lesson): string =>
  `vendors.${vendor}.quirks: ${JSON.stringify(withLesson({}, model, lesson))}`

export const isSameLesson = (a: Lesson, b: Lesson): boolean => JSON.stringify(a) === JSON.stringify(b)

/** `clock`: milliseconds. */
export function createLessonMemory(clock: () => number): LessonMemory {
  const models = new Map<string, Known>()
  const keyOf = ({ vendor, model }: UpstreamModel): string => `${vendor} ${model}`
  const lessonsOf = (upstream: UpstreamModel): readonly Lesson[] => {
    const known = models.get(keyOf(upstream))
    if (known === undefined) return []
    if (clock() < known.until) return known.lessons
    models.delete(keyOf(upstream))
    return []
  }
  const set = (upstream: UpstreamModel, lessons: readonly Lesson[]): void => {
    const key = keyOf(upstream)
    models.delete(key)
    if (lessons.length > 0) models.set(key, { lessons, until: clock() + AGE_MS })
    const [oldest] = models.keys()
    if (models.size > MOST_MODELS && oldest !== undefined) models.delete(oldest)
  }
  return {
    quirksFor: (upstream, quirks) =>
      lessonsOf(upstream).reduce((now, lesson) => withLesson(now, upstream.model, lesson), quirks),
    linesFor: (upstream) => lessonsOf(upstream).map((lesson) => configurationLine(upstream, lesson)),
    note(upstream, lesson) {
      const others = lessonsOf(upstream).filter((one) => !isSameLesson(one, lesson))
      set(upstream, [...others, lesson].slice(-MOST_LESSONS))
    },
    forget: (upstream, lesson) =>
      set(
        upstream,
        lessonsOf(upstream).filter((one) => !isSameLesson(one, lesson)),
      ),
  }
}
