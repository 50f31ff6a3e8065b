import type { InputPart } from '../../../protocol/request.ts'
import { mediaTypeOf } from '../media-types.ts'

type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

const isVideo = (type: string | undefined): boolean => type?.startsWith('video/') === true

/** Returns the URL of a video: its address, or its data. Null: the file is no video. */
export function videoUrl({ filename, file_data: data, file_url: url }: FilePart): string | null {
  const type = mediaTypeOf(filename ?? '')
  if (data !== null) {
    if (data.startsWith('data:')) return /^data:video\//i.test(data.slice(0, 16)) ? data : null
    return isVideo(type) ? `data:${type};base64,${data}` : null
  }
  return url !== null && (isVideo(type) || isVideo(mediaTypeOf(url))) ? url : null
}
