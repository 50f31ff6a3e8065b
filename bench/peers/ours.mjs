/** Runs the millrace server as a process: `node ours.mjs <origin of the upstream>`. It sends its address of each pair. */
import { GATEWAYS } from '../out/bench/conformance/gateways.js'

const [own] = GATEWAYS
const running = await own.start(process.argv[2])
process.send(own.pairs.map((pair) => ({ pair, address: running.addressOf(pair) })))
process.on('disconnect', () => process.exit())
