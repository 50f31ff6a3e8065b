import path from 'node:path'
import { buildBase } from './base/build.ts'
import { commitName, load, machine, nodeVersion, versionsOf } from './environment.ts'
import type { Figure } from './figure.ts'
import { type Job, runJob } from './jobs.ts'
import { inTurns } from './measure.ts'
import type { Part } from './part.ts'
import type { Figures, NodeResults, PartResults } from './results.ts'

export interface RunOptions {
  /** Programs of Node, each of another major version. */
  readonly nodes: readonly string[]
  readonly isQuick: boolean
}

interface Task {
  readonly node: string
  readonly job: Job
}

interface Done {
  readonly node: string
  readonly figures: readonly Figure[]
  readonly ms: number
}

/** Every job runs once for each process and version of Node; the versions take turns, so that drift meets all of them. */
function tasksOf(part: Part, { nodes, isQuick }: RunOptions, processes: number): readonly Task[] {
  const jobs = part.jobs(isQuick)
  return Array.from({ length: processes }, (_, round) =>
    jobs
      .filter(({ isOnce }) => round === 0 || !isOnce)
      .flatMap((job) => inTurns(nodes, round).map((node) => ({ node, job }))),
  ).flat()
}

/** Runs the tasks in order, some at once. */
async function runAll(tasks: readonly Task[], atOnce: number): Promise<readonly Done[]> {
  const done: Done[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
      const begun = performance.now()
      const figures = await runJob(task.node, task.job)
      done.push({ node: task.node, figures, ms: performance.now() - begun })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return done
}

function figuresOf(done: readonly Done[]): Figures {
  const figures: Record<string, Figures[string] & { readonly values: number[] }> = {}
  for (const { case: name, unit, value } of done.flatMap((one) => one.figures)) {
    figures[name] ??= { unit, values: [] }
    figures[name].values.push(value)
  }
  return figures
}

/** Measures one part with each version of Node. */
export async function runPart(part: Part, options: RunOptions): Promise<PartResults> {
  const { nodes, isQuick } = options
  part.prepare?.()
  if (part.base !== undefined) buildBase(part.base)
  const processes = isQuick ? 1 : part.processes
  const common = {
    date: new Date().toISOString().slice(0, 10),
    commit: commitName(),
    ...(part.base !== undefined && { base: part.base }),
    machine: machine(),
    packages: versionsOf(part.packages, path.dirname(`bench/${part.jobs(isQuick)[0]?.program}`)),
    load: load(),
    isQuick,
    processes,
  }
  const begun = performance.now()
  const done = await runAll(tasksOf(part, options, processes), part.isAlone ? 1 : common.machine.cores)
  const seconds = (performance.now() - begun) / 1000
  const total = done.reduce((sum, { ms }) => sum + ms, 0)
  return Object.fromEntries(
    nodes.map((node) => {
      const own = done.filter((one) => one.node === node)
      const share = own.reduce((sum, { ms }) => sum + ms, 0) / total
      const version = nodeVersion(node)
      const result: NodeResults = {
        node: version,
        ...common,
        seconds: Math.round(seconds * share),
        figures: figuresOf(own),
      }
      return [version.replace(/\..*/, ''), result]
    }),
  )
}
