/** Lets the keyboard scroll an element that has no control in it. */
export const makeFocusable = (element: HTMLElement | null): void => {
  if (element !== null) element.tabIndex = 0
}
