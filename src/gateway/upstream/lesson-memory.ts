import type { Lesson, Taught } from '../../engine/rules/refusal.ts'
import type { Quirks } from '../../wires/quirks.ts'

interface UpstreamModel {
  readonly vendor: string
  readonly model: string
}

/** The lessons of refusals, by the models of upstreams. The memory ends with the process. */
export interface LessonMemory {
  /** The quirks of a vendor with what is known about the model, and with these further lessons. */
  quirksFor(upstream: UpstreamModel, quirks: Quirks, tried?: readonly Lesson[]): Quirks
  /** The lines of configuration that would make it permanent. */
  linesFor(upstream: UpstreamModel): readonly string[]
  /** Called when a request was accepted because of the lesson. What is for one request only is not kept: returns false if that is all. */
  note(upstream: UpstreamModel, lesson: Lesson): boolean
}

/** Vendors change what they accept. */
const AGE_MS = 12 * 60 * 60 * 1000
const MOST_MODELS = 1000
const MOST_LESSONS = 16

interface Known {
  readonly lesson: Lesson
  readonly until: number
}

const joinLists = <T>(first: readonly T[] | undefined, second: readonly T[] | undefined): readonly T[] | undefined =>
  first === undefined || second === undefined ? (second ?? first) : [...new Set([...first, ...second])]

/** A later lesson about the same fact takes precedence. */
function withLesson(quirks: Quirks, model: string, { facts, quirks: learned = {} }: Taught): Quirks {
  const refusesMembers = joinLists(quirks.refusesMembers, learned.refusesMembers)
  const refusesBetas = joinLists(quirks.refusesBetas, learned.refusesBetas)
  const refusesInSchemas = joinLists(quirks.refusesInSchemas, learned.refusesInSchemas)
  const own = quirks.modelFacts?.[model]
  return {
    ...quirks,
    ...learned,
    ...(refusesMembers === undefined ? {} : { refusesMembers }),
    ...(refusesBetas === undefined ? {} : { refusesBetas }),
    ...(refusesInSchemas === undefined ? {} : { refusesInSchemas }),
    ...(facts === undefined ? {} : { modelFacts: { ...quirks.modelFacts, [model]: { ...own, ...facts } } }),
  }
}

/** `vendors.acme.quirks: {"modelFacts":{"new-model":{"sampling":"none"}}}` */
const configurationLine = ({ vendor, model }: UpstreamModel, lesson: Lesson): string =>
  `vendors.${vendor}.quirks: ${JSON.stringify(withLesson({}, model, lesson))}`

const isSameLesson = (a: Lesson, b: Lesson): boolean => JSON.stringify(a) === JSON.stringify(b)

export const areSameLessons = (a: readonly Lesson[], b: readonly Lesson[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** `clock`: milliseconds. */
export function createLessonMemory(clock: () => number): LessonMemory {
  const models = new Map<string, readonly Known[]>()
  const keyOf = ({ vendor, model }: UpstreamModel): string => `${vendor} ${model}`
  const known = (upstream: UpstreamModel): readonly Known[] =>
    (models.get(keyOf(upstream)) ?? []).filter(({ until }) => clock() < until)
  const lessonsOf = (upstream: UpstreamModel): readonly Lesson[] => known(upstream).map(({ lesson }) => lesson)
  return {
    quirksFor: (upstream, quirks, tried = []) =>
      [...lessonsOf(upstream), ...tried].reduce((now, lesson) => withLesson(now, upstream.model, lesson), quirks),
    linesFor: (upstream) => lessonsOf(upstream).map((lesson) => configurationLine(upstream, lesson)),
    note(upstream, lesson) {
      if (lesson.scope === 'request') return false
      const others = known(upstream).filter((one) => !isSameLesson(one.lesson, lesson))
      const key = keyOf(upstream)
      models.delete(key)
      models.set(key, [...others, { lesson, until: clock() + AGE_MS }].slice(-MOST_LESSONS))
      const [oldest] = models.keys()
      if (models.size > MOST_MODELS && oldest !== undefined) models.delete(oldest)
      return true
    },
  }
}
