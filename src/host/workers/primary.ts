import cluster, { type Worker } from 'node:cluster'
import { memoryStore } from '../../gateway/auth/rate-limit.ts'
import type { Config } from '../../gateway/config/config.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import type { MetricJson } from '../telemetry/metrics.ts'
import { createHandoffs, type WorkerConnections } from './handoffs.ts'
import { type FromWorker, type Listening, type ToWorker, WORKER_VARIABLE } from './messages.ts'
import { Questions } from './questions.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

interface PrimaryOptions {
  /** The configuration of each worker: see `toWorkerConfig`. */
  readonly config: Config
  readonly count: number
  readonly developmentKey: string
  readonly log: Log
}

/** The workers of one server. */
interface Primary {
  /** Resolves when the first worker listens, with its address; rejects with an Error if it cannot. */
  readonly listening: Promise<Listening>
  /** Resolves when all workers have ended: with 0 if all were stopped, and none crashed too often; else with 1. */
  readonly ended: Promise<number>
  /** Gives another configuration to all workers. `later`: that of workers which start from now on. */
  reload(config: Config, later: Config): void
  /** Stops all workers: at once, or after their open streams. */
  stop(isAtOnce: boolean): void
}

/** How much longer than its drain a worker may take, in milliseconds. */
const LATE_MS = 15_000

/** Starts the workers of one server, and replaces those that crash. */
export function startPrimary(options: PrimaryOptions): Primary {
  const supervisor = new Supervisor(options)
  supervisor.fork(1)
  return supervisor
}

/** The other end of a worker's channel. */
interface WorkerChannel {
  send(message: ToWorker, callback: (error: Error | null) => void): unknown
}

/** The metrics of a worker; null: it does not answer, or has ended. */
type Collected = readonly MetricJson[] | null

/** A worker that does not answer for so long blocks its own streams as well. */
const UNANSWERED_MS = 5000

/** Sends a message. A worker that has ended receives nothing. */
const send = (worker: WorkerChannel, message: ToWorker): void => void worker.send(message, () => undefined)

/** Asks a worker for its metrics. `questions`: those to this worker, which its messages and its end answer. */
function collectFrom(worker: WorkerChannel, questions: Questions<Collected>): Promise<Collected> {
  let timer: NodeJS.Timeout | undefined
  const asked = questions.ask((id) => {
    timer = setTimeout(() => questions.answer(id, null), UNANSWERED_MS)
    send(worker, { kind: 'collect', id })
  })
  return asked.finally(() => clearTimeout(timer))
}

interface Running {
  readonly worker: Worker
  isReady: boolean
  /** The configuration that it started with. */
  config: Config
  /** The port that it listens on, as far as one is assigned; null: it has not started yet. */
  assigned: { readonly port: number | undefined } | null
  /** The reason why it could not start. */
  failure: string
  readonly questions: Questions<Collected>
  readonly connections: WorkerConnections
}

/** Undefined: a socket of the file system. */
const portIn = (url: string): number | undefined =>
  url.startsWith('unix:') ? undefined : Number(/:(\d+)$/.exec(url)?.[1])

class Supervisor implements Primary {
  readonly listening: Promise<Listening>
  readonly ended: Promise<number>
  /** That of workers which start. */
  private config: Config
  /** That which was read last: it shows a worker what needs a restart. */
  private latest: Config
  private readonly options: PrimaryOptions
  private readonly workers = new Map<number, Running>()
  private readonly restarts = new Map<number, NodeJS.Timeout>()
  private readonly policy = createRestartPolicy(() => performance.now())
  private readonly rates = memoryStore(Date.now)
  private readonly handoffs = createHandoffs()
  private readonly metrics = createWorkerMetrics(() => this.ready().length)
  /** The address that the server has announced; null: none yet. */
  private url: string | null = null
  private hasListened = false
  private isStopping = false
  private code = 0
  private onListening: (address: Listening) => void = () => undefined
  private onFailed: (error: Error) => void = () => undefined
  private onEnded: (code: number) => void = () => undefined

  constructor(options: PrimaryOptions) {
    this.options = options
    this.config = options.config
    this.latest = options.config
    this.listening = new Promise((resolve, reject) => {
      this.onListening = resolve
      this.onFailed = reject
    })
    this.ended = new Promise((resolve) => {
      this.onEnded = resolve
    })
  }

  fork(number: number): void {
    this.restarts.delete(number)
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) })
    const running: Running = {
      worker,
      isReady: false,
      config: this.config,
      assigned: null,
      failure: '',
      questions: new Questions(),
      connections: this.handoffs.add(worker, () => !this.isStopping && running.isReady && worker.isConnected()),
    }
    this.workers.set(number, running)
    this.policy.noteStart(number)
    worker.on('message', (message: FromWorker) => this.receive(number, running, message))
    worker.on('error', () => undefined)
    worker.on('exit', (code, signal) => this.noteExit(number, running, signal ?? code))
    this.options.log({ event: 'worker_started', worker: number, pid: worker.process.pid ?? null })
  }

  reload(config: Config, later: Config): void {
    this.config = later
    this.latest = config
    for (const [, running] of this.ready())
      send(running.worker, { kind: 'reload', config: this.configFor(running, config) })
  }

  stop(isAtOnce: boolean): void {
    if (!this.isStopping) this.killLater()
    this.isStopping = true
    for (const timer of this.restarts.values()) clearTimeout(timer)
    this.restarts.clear()
    for (const { worker, assigned } of this.workers.values()) {
      // `node:cluster` may have given it a connection before its report that it listens.
      if (assigned !== null) send(worker, { kind: 'stop', isAtOnce })
      else worker.process.kill('SIGKILL')
    }
    this.endIfLast()
  }

  private ready(): readonly (readonly [number: number, running: Running])[] {
    return [...this.workers].filter(([, { isReady }]) => isReady)
  }

  private receive(number: number, running: Running, message: FromWorker): void {
    const { worker } = running
    const { developmentKey } = this.options
    if (message.kind === 'loaded') {
      running.config = this.config
      running.assigned = { port: this.portOfNext() }
      send(worker, { kind: 'start', number, config: this.configFor(running, this.config), developmentKey })
    } else if (message.kind === 'listening') this.noteListening(running, message)
    else if (message.kind === 'failed') running.failure = message.message
    else if (message.kind === 'closed') running.connections.noteClosed(message.count)
    else if (message.kind === 'collected') running.questions.answer(message.id, message.metrics)
    else if (message.kind === 'take') void this.take(worker, message)
    else if (message.kind === 'metrics') void this.sendMetrics(worker, message.id)
    else if (message.kind === 'noticed') this.passOn(running, message)
  }

  /** A worker that starts later learns it by itself. */
  private passOn(from: Running, { kind, notice }: Extract<FromWorker, { kind: 'noticed' }>): void {
    for (const [, running] of this.ready()) if (running !== from) send(running.worker, { kind, notice })
  }

  /**
   * A free port (0) is chosen once. Workers share it by the number 0 as long as one of them runs. When all have ended, it
   * is free again, and the next worker takes it by its own number.
   */
  private portOfNext(): number | undefined {
    const [other] = [...this.workers.values()].filter(({ assigned }) => assigned !== null)
    if (other !== undefined) return other.assigned?.port
    return this.url === null ? this.config.listen.port : portIn(this.url)
  }

  /** A configuration with the port that is assigned to a worker. Another port in the file needs a restart. */
  private configFor({ assigned }: Running, config: Config): Config {
    const isSame = config.listen.port === this.options.config.listen.port
    return assigned === null || !isSame ? config : { ...config, listen: { ...config.listen, port: assigned.port } }
  }

  private noteListening(running: Running, address: Listening): void {
    this.url ??= address.url
    // The last worker with the announced port has ended while this one started.
    if (address.url !== this.url) return void running.worker.process.kill('SIGKILL')
    running.isReady = true
    // The configuration was read again while the worker started.
    if (running.config !== this.config)
      send(running.worker, { kind: 'reload', config: this.configFor(running, this.latest) })
    if (this.hasListened || this.isStopping) return
    this.hasListened = true
    this.onListening(address)
    for (let number = 2; number <= this.options.count; number += 1) this.fork(number)
  }

  private async take(worker: Worker, { id, key, limit }: Extract<FromWorker, { kind: 'take' }>): Promise<void> {
    const taken = await this.rates.take(key, limit)
    if (taken !== null) send(worker, { kind: 'taken', id, taken })
  }

  private async sendMetrics(asking: Worker, id: number): Promise<void> {
    const collected = await Promise.all(this.ready().map(([number, running]) => this.collect(number, running)))
    // Without one of the workers, the sums would fall, as they do when a server starts again.
    const text = collected.includes(false) ? null : await this.metrics.text()
    send(asking, { kind: 'metrics', id, text })
  }

  /** Resolves with false if the worker runs and does not answer. */
  private async collect(number: number, running: Running): Promise<boolean> {
    const metrics = await collectFrom(running.worker, running.questions)
    if (this.workers.get(number) !== running) return true
    if (metrics !== null) this.metrics.noteCollected(number, metrics)
    return metrics !== null
  }

  private noteExit(number: number, { isReady, failure, questions }: Running, cause: number | string): void {
    this.workers.delete(number)
    questions.answerAll(null)
    this.metrics.retire(number)
    if (this.isStopping) {
      if (isReady && cause !== 0) this.code = 1
      this.endIfLast()
    } else if (this.hasListened) this.restart(number, cause, failure)
    else this.onFailed(new Error(failure === '' ? `The first worker ended with ${cause} before it listened.` : failure))
  }

  private restart(number: number, cause: number | string, failure: string): void {
    const delay = this.policy.noteCrash(number)
    const { log } = this.options
    log({
      event: 'worker_crashed',
      worker: number,
      ended_with: cause,
      ...(failure === '' ? {} : { message: failure }),
      ...(delay === null ? {} : { restart_in_ms: delay }),
    })
    this.metrics.noteCrash()
    if (delay !== null) {
      this.restarts.set(
        number,
        setTimeout(() => this.fork(number), delay),
      )
      return
    }
    log({ event: 'worker_given_up', worker: number, message: 'It crashed too often in a row. The server stops.' })
    this.code = 1
    this.stop(false)
  }

  /** A worker that hangs must not keep the server alive. */
  private killLater(): void {
    const { notice_seconds, limit_seconds } = this.config.drain
    setTimeout(
      () => {
        for (const { worker } of this.workers.values()) worker.process.kill('SIGKILL')
      },
      (notice_seconds + limit_seconds) * 1000 + LATE_MS,
    ).unref()
  }

  private endIfLast(): void {
    if (this.workers.size > 0) return
    this.metrics.close()
    this.onEnded(this.code)
  }
}

/** A worker that has run for so long starts afresh: its next crash has the shortest delay. */
const STABLE_MS = 60_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 10_000
/** With these delays, a worker that cannot start is tried for half a minute. */
const MOST_CRASHES = 10

interface RestartPolicy {
  /** Called when a worker starts. */
  noteStart(number: number): void
  /** Called when it has crashed. Returns the milliseconds until its restart; null: it has crashed too often. */
  noteCrash(number: number): number | null
}

/** Decides when crashed workers are started again. The delay doubles with each crash in a row. `clock`: milliseconds. */
export function createRestartPolicy(clock: () => number): RestartPolicy {
  const startedAt = new Map<number, number>()
  const crashes = new Map<number, number>()
  return {
    noteStart: (number) => void startedAt.set(number, clock()),
    noteCrash(number) {
      const wasStable = clock() - (startedAt.get(number) ?? 0) >= STABLE_MS
      const count = wasStable ? 1 : (crashes.get(number) ?? 0) + 1
      crashes.set(number, count)
      return count > MOST_CRASHES ? null : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1))
    },
  }
}
