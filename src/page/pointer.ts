/** Whether the main pointer is a finger: it cannot rest on something, and there is probably no keyboard. */
export const isTouch = (): boolean => matchMedia('(hover: none)').matches
