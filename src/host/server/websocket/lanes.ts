interface LaneLimits {
  /** The highest number of lanes with a name that have a request. */
  readonly named: number
  /** The highest number of requests that are answered at the same time. */
  readonly parallel: number
  /** The highest number of requests that wait. */
  readonly waiting: number
}

/** The reason why a request cannot wait: there are too many lanes, or too many requests. */
type LaneRefusal = 'lanes' | 'requests'

interface LaneTask {
  /** Resolves when its answer has ended; never rejects. */
  run(): Promise<void>
  /** Called in place of `run` if the connection closes before. */
  drop(): void
}

interface Lane {
  readonly name: string | null
  readonly waiting: LaneTask[]
  isBusy: boolean
}

/**
 * The order of the requests of one connection: those of one lane one after the other, those of different lanes at the
 * same time. Requests without a name have a lane of their own. A lane without requests is forgotten, so that a client
 * may name each of its tasks.
 */
export class Lanes {
  private readonly lanes = new Map<string | null, Lane>()
  /** Lanes with a waiting request that may begin, the one that has waited longest first. */
  private ready: Lane[] = []
  private running = 0
  private waiting = 0
  private readonly limits: LaneLimits
  /** Called when the last request has ended. */
  private readonly onIdle: () => void

  constructor(limits: LaneLimits, onIdle: () => void) {
    this.limits = limits
    this.onIdle = onIdle
  }

  /** Returns null if the request was taken. */
  refusalOf(name: string | null): LaneRefusal | null {
    const named = this.lanes.size - (this.lanes.has(null) ? 1 : 0)
    if (name !== null && !this.lanes.has(name) && named >= this.limits.named) return 'lanes'
    return this.waiting >= this.limits.waiting ? 'requests' : null
  }

  add(name: string | null, task: LaneTask): void {
    const lane = this.laneOf(name)
    lane.waiting.push(task)
    this.waiting += 1
    if (!lane.isBusy && lane.waiting.length === 1) this.ready.push(lane)
    this.start()
  }

  isIdle(): boolean {
    return this.running === 0 && this.waiting === 0
  }

  /** Drops the requests that wait. */
  clear(): void {
    const dropped = [...this.lanes.values()].flatMap(({ waiting }) => waiting.splice(0))
    this.ready = []
    this.waiting = 0
    for (const task of dropped) task.drop()
  }

  private laneOf(name: string | null): Lane {
    const found = this.lanes.get(name)
    if (found !== undefined) return found
    const lane: Lane = { name, waiting: [], isBusy: false }
    this.lanes.set(name, lane)
    return lane
  }

  private start(): void {
    while (this.running < this.limits.parallel) {
      const lane = this.ready.shift()
      const task = lane?.waiting.shift()
      if (lane === undefined || task === undefined) return
      this.waiting -= 1
      this.running += 1
      lane.isBusy = true
      void task.run().then(() => this.finish(lane))
    }
  }

  private finish(lane: Lane): void {
    this.running -= 1
    lane.isBusy = false
    if (lane.waiting.length > 0) this.ready.push(lane)
    else this.lanes.delete(lane.name)
    this.start()
    if (this.isIdle()) this.onIdle()
  }
}
