import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import { answerOf, choose, Lab, RESPONSES, type Scenario, SESSION_WIRES, send } from './lab.ts'
import { textIn, wordsOf } from './texts.ts'

/**
 * A server that drains while its streams run, with a second one beside it. Laws: every stream that has begun arrives whole,
 * and a client that turns to the second server has its answer.
 */
const STREAMS = 12

/** Resolves when it is released. */
function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

async function round(name: number, chance: () => number): Promise<readonly string[]> {
  const lab = new Lab()
  let calls = 0
  const gate = createGate()
  const texts = Array.from({ length: STREAMS }, (_, at) => wordsOf(12, at, chance))
  const vendors: Record<string, object> = {}
  let begun = 0
  const all = createGate()
  for (const wire of SESSION_WIRES) {
    const { contentType, quirks } = WIRE_UPSTREAMS[wire]
    const { url } = await lab.upstream(async (response, { text: request }) => {
      calls += 1
      const text = texts[Number(/stream (\d+) \./.exec(request)?.[1])] ?? ''
      const bytes = answerOf(wire, { text: text.split(/(?<=\s)/), calls: [] }, `${calls}`)
      const half = Math.floor(bytes.length / 2)
      response.writeHead(200, { 'content-type': contentType }).write(bytes.subarray(0, half))
      begun += 1
      if (begun === STREAMS) all.open()
      await gate.opened
      response.end(bytes.subarray(half))
    })
    vendors[wire] = { wire, base_url: url, key: 'x', quirks }
  }
  const config = { vendors, drain: { limit_seconds: 600 } }
  const [first, second] = [await lab.server(config), await lab.server(config)]
  const bodies = texts.map((_, at) => {
    const wire = choose(SESSION_WIRES, chance)
    return { model: `${wire}/${WIRE_UPSTREAMS[wire].model}`, input: `stream ${at} .`, stream: true }
  })
  const reading = bodies.map(async (body) => (await send(`${first.url}${RESPONSES}`, body)).text())
  await all.opened
  const drained = first.drain()
  const later = async (body: object): Promise<string> => {
    // A connection that is open is still answered, and says that the server stops.
    const answer = await send(`${first.url}${RESPONSES}`, body).catch(() => null)
    return (answer?.ok === true ? answer : await send(`${second.url}${RESPONSES}`, body)).text()
  }
  const turned = bodies.map(later)
  gate.open()
  const streams = await Promise.all([...reading, ...turned])
  await drained
  const faults = streams.flatMap((stream, at) => {
    const text = texts[at % STREAMS] ?? ''
    if (textIn(stream) !== text) return [`round ${name}, stream ${at}: "${textIn(stream)}" instead of "${text}"`]
    return stream.includes('"response.completed"') ? [] : [`round ${name}, stream ${at} is not complete`]
  })
  return [...faults, ...(await lab.close())]
}

/** `size`: rounds of a drain. */
export const drains: Scenario = async (size, chance) => {
  const faults: string[] = []
  for (let at = 0; at < size; at += 1) faults.push(...(await round(at, chance)))
  return { figure: `${size} drains, each with ${STREAMS} streams before and after it`, faults }
}
