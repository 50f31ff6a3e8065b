/** The relay of bench/server in workers of `node:cluster`: `node cluster-relay.js <origin of the upstream> <workers>`. */
import cluster from 'node:cluster'
import { openRelay } from '../server/roles/relay.ts'

const [upstream = '', workers = '1'] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
if (cluster.isPrimary) {
  let listening = 0
  cluster.on('message', (_, origin: string) => {
    listening += 1
    if (listening === Number(workers)) process.send?.(origin)
  })
  for (let n = 0; n < Number(workers); n += 1) cluster.fork()
} else process.send?.(await openRelay(upstream))
