/** A least-squares line. */
export interface Regression {
  readonly slope: number;
  /**
   * The standard error of the slope if the points were independent. Heap samples are not, so this
   * is a lower bound.
   */
  readonly error: number;
}

/** Returns the least-squares line through at least three points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Regression {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const products = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const slope = products / squares;
  const left = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: Math.sqrt(left / (count - 2) / squares) };
}
