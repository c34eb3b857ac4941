// Types the library that `assets.ts` serves next to this script.
import uPlot from 'uplot';
// oxlint-disable-next-line import/no-default-export -- the library has a default export
export default uPlot;
