// Decodes some frames of a video, and writes each as a PNG file. Handles release themselves, and errors are exceptions:
//
//     frames VIDEO FOLDER
#include <spool.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

// A handle of the library, released by the function Release.
template <auto Release> struct Releaser {
    template <typename T> void operator()(T *handle) const
    {
        Release(handle);
    }
};
using Array = std::unique_ptr<spool_array, Releaser<spool_array_release>>;
using Spec = std::unique_ptr<spool_video_spec, Releaser<spool_video_spec_release>>;
using Video = std::unique_ptr<spool_video, Releaser<spool_video_close>>;

// Calls a function that can fail, with the error as its last argument.
template <typename F, typename... Arguments> void call(F function, Arguments... arguments)
{
    spool_error error;
    if (function(arguments..., &error) != SPOOL_OK)
        throw std::runtime_error(std::string(error.error_class) + ": " + error.text);
}

void run(const char *file, const std::string &folder)
{
    spool_video_spec *spec_handle = nullptr;
    call(spool_video_spec_new, R"({"size": "96x64", "mode": "cover"})", &spec_handle);
    const Spec spec(spec_handle);

    spool_source source{};
    source.path = file;
    spool_video *video_handle = nullptr;
    call(spool_video_open, spec.get(), &source, nullptr, &video_handle);
    const Video video(video_handle);

    const std::vector<std::int64_t> wanted{0, 10, 5};
    spool_clip clip{};
    call(spool_video_decode, video.get(), spec.get(), wanted.data(), wanted.size(), nullptr, &clip);
    const Array pixels(clip.pixels), list(clip.frames);

    spool_array_view shown, frame = clip.view;
    spool_array_describe(list.get(), &shown);
    const auto *info = static_cast<const spool_frame *>(shown.data);
    auto *bytes = static_cast<std::uint8_t *>(frame.data);
    const auto count = frame.shape[0];
    frame.size /= count;
    frame.ndim = 3;
    for (int i = 0; i < 3; i++) {
        frame.shape[i] = frame.shape[i + 1];
        frame.strides[i] = frame.strides[i + 1];
    }
    for (std::int64_t i = 0; i < count; i++) {
        frame.data = bytes + i * frame.size;
        const auto name = folder + "/" + std::to_string(info[i].index) + ".png";
        call(spool_write_image, name.c_str(), &frame, nullptr, nullptr);
        std::cout << name << ": shown at " << info[i].pts << " s\n";
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3 || spool_abi() != SPOOL_ABI) {
        std::cerr << "usage: frames VIDEO FOLDER, with the libspool of these headers\n";
        return 2;
    }
    try {
        run(argv[1], argv[2]);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
