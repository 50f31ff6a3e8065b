import { type AddressInfo, createServer, type Socket } from 'node:net'
import { whenDone } from '../test-server.ts'

/** A store on loopback that answers like Redis, except while it hangs. */
export interface HangingRedis {
  readonly url: string
  /** The number of script calls that it has received. */
  readonly asked: () => number
  hang(): void
  goOn(): void
}

/** Matches a command of a client, which is an array of bulk strings (RESP), and captures its name. */
const COMMAND = /\*\d+\r\n\$\d+\r\n(\w+)\r\n/g

export async function startHangingRedis(): Promise<HangingRedis> {
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let isHanging = false
  let asked = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      for (const [, command = ''] of bytes.toString('latin1').matchAll(COMMAND)) {
        const isScript = command.toUpperCase() === 'EVAL'
        if (isScript) asked += 1
        const answer = (): void => void socket.write(isScript ? '*2\r\n:1\r\n$1\r\n5\r\n' : '+OK\r\n')
        if (isHanging) held.push(answer)
        else answer()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    hang: () => {
      isHanging = true
    },
    goOn: () => {
      isHanging = false
      for (const answer of held.splice(0)) answer()
    },
  }
}
