import type { JsonObject } from '../../../protocol/json.ts'
import { mapped } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { EditedBody } from '../../passthrough-contract.ts'
import { ownSteps, withValue } from './members.ts'

/** `int32 seed` (google.ai.generativelanguage.v1beta.GenerationConfig): "Invalid value at 'generation_config.seed' (TYPE_INT32)". */
const SEEDS = 2 ** 31

/** A body with a seed of 32 bits. One seed always becomes the same other one, so that answers stay repeatable. */
export function withSmallSeed(body: JsonObject): EditedBody {
  const path = ownSteps(body, ['generationConfig', 'seed'])
  const [holder = '', name = ''] = path
  const config = body[holder]
  const seed = isObject(config) ? config[name] : undefined
  if (typeof seed !== 'number' || !Number.isInteger(seed) || (seed >= -SEEDS && seed < SEEDS))
    return { body, losses: [] }
  const sent = ((seed % SEEDS) + SEEDS) % SEEDS
  return {
    body: withValue(body, path, sent),
    losses: [mapped(path.join('.'), `sent as ${sent}, because this upstream accepts seeds of 32 bits`)],
  }
}
