import type { Target } from '../engine/target.ts'
import type { JsonObject } from '../protocol/json.ts'
import { lookup } from '../text/lookup.ts'
import { agUi } from './ag-ui.ts'
import { aiSdkUi } from './ai-sdk-ui.ts'
import type { FrontEndName } from './names.ts'

const MAKERS: Readonly<Record<FrontEndName, (settings?: JsonObject) => Target>> = {
  'ai-sdk-ui': aiSdkUi,
  'ag-ui': agUi,
}

/** The target of an interface; undefined for an unknown name. `settings`: what the program decides about its answers. */
export const findFrontEnd = (name: string, settings?: JsonObject): Target | undefined =>
  lookup(MAKERS, name)?.(settings)
